"""executorch_cc_library: compiled models as a C library with just the kernels they use."""

load("//rules/private:cc_library_rule.bzl", executorch_cc_library_rule = "executorch_cc_library")

def executorch_cc_library(name, model = None, models = [], **kwargs):
    """Compiled models as a C library; see the rule for what it has.

    Args:
      name: name of the library; its header is `<package>/<name>.h`.
      model: one `executorch_model`; either this or `models` is mandatory.
      models: several `executorch_model` targets.
      **kwargs: further attributes of the rule, and the attributes that every rule has.
    """
    if bool(model) == bool(models):
        fail("executorch_cc_library(name = '%s'): 'model' is %s; give either 'model' or 'models'" % (name, "given beside 'models'" if model else "missing"))
    executorch_cc_library_rule(name = name, models = [model] if model else models, **kwargs)
