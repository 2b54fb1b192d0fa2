"""executorch_cc_library: compiled models as a C library with just the kernels they use."""

load("//rules/private:cc_library_rule.bzl", executorch_cc_library_rule = "executorch_cc_library")

def executorch_cc_library(name, model = None, models = [], **kwargs):
    """Compiled models as a C library; see the rule for what it has.

    Args:
      name: name of the library; its header is `<package>/<name>.h`.
      model: one `executorch_model`, or
      models: several.
      **kwargs: weights, embed, shared_memory, and what every rule has.
    """
    if bool(model) == bool(models):
        fail("executorch_cc_library(name = '%s'): give either 'model' or 'models'" % name)
    executorch_cc_library_rule(name = name, models = [model] if model else models, **kwargs)
