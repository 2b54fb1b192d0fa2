"""executorch_cc_library: compiled models as a C library with only the kernels that they use."""

load("//rules/private:cc_library_rule.bzl", executorch_cc_library_rule = "executorch_cc_library")

def executorch_cc_library(name, model = None, models = [], **kwargs):
    """Compiled models as a C library; see the rule.

    Args:
      name: Name of the library; its header is `<package>/<name>.h`.
      model: An `executorch_model`. Either this or `models` is mandatory.
      models: Several `executorch_model` targets.
      **kwargs: Other attributes of the rule, and attributes that every rule has.
    """
    if bool(model) == bool(models):
        fail("executorch_cc_library(name = '%s'): 'model' is %s; set either 'model' or 'models'" % (name, "set together with 'models'" if model else "missing"))
    executorch_cc_library_rule(name = name, models = [model] if model else models, **kwargs)
