"""executorch_shared_library: compiled models as a shared library that exports their functions alone."""

load("//rules/private:shared_library_rule.bzl", executorch_shared_library_rule = "executorch_shared_library")

def executorch_shared_library(name, model = None, models = [], **kwargs):
    """Compiled models as a shared library; see the rule for what it has.

    Args:
      name: name of the library; its file is `lib<name>.so`, its header `<package>/<name>.h`.
      model: one `executorch_model`; either this or `models` is mandatory.
      models: several `executorch_model` targets.
      **kwargs: further attributes of the rule, and the attributes that every rule has.
    """
    if bool(model) == bool(models):
        fail("executorch_shared_library(name = '%s'): 'model' is %s; give either 'model' or 'models'" % (name, "given beside 'models'" if model else "missing"))
    executorch_shared_library_rule(name = name, models = [model] if model else models, **kwargs)
