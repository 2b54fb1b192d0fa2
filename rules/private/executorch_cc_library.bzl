"""executorch_cc_library: compiled models as a C library with only the kernels that they use."""

load("//rules/private:cc_library_rule.bzl", executorch_cc_library_rule = "executorch_cc_library")
load("//rules/private:model_library.bzl", "library_models")

def executorch_cc_library(name, model = None, models = [], **kwargs):
    """Compiled models as a C library; see the rule.

    Args:
      name: Name of the library; its headers are `<package>/<name>.h` and `<package>/<name>.hpp`.
      model: An `executorch_model`. Either this or `models` is mandatory.
      models: Several `executorch_model` targets.
      **kwargs: Other attributes of the rule, and attributes that every rule has.
    """
    executorch_cc_library_rule(name = name, models = library_models("executorch_cc_library", name, model, models, kwargs), **kwargs)
