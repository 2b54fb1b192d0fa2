"""executorch_shared_library: compiled models as a shared library that exports only their functions."""

load("//rules/private:shared_library_rule.bzl", executorch_shared_library_rule = "executorch_shared_library")

def executorch_shared_library(name, model = None, models = [], **kwargs):
    """Compiled models as a shared library; see the rule.

    Args:
      name: Name of the library; its file is `lib<name>.so`, and its header is `<package>/<name>.h`.
      model: An `executorch_model`. Either this or `models` is mandatory.
      models: Several `executorch_model` targets.
      **kwargs: Other attributes of the rule, and attributes that every rule has.
    """
    if bool(model) == bool(models):
        fail("executorch_shared_library(name = '%s'): 'model' is %s; set either 'model' or 'models'" % (name, "set together with 'models'" if model else "missing"))
    executorch_shared_library_rule(name = name, models = [model] if model else models, **kwargs)
