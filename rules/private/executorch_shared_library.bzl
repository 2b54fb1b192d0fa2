"""executorch_shared_library: compiled models as a shared library that exports only their functions."""

load("//rules/private:model_library.bzl", "library_models")
load("//rules/private:shared_library_rule.bzl", executorch_shared_library_rule = "executorch_shared_library")

def executorch_shared_library(name, model = None, models = [], **kwargs):
    """Compiled models as a shared library; see the rule.

    Args:
      name: Name of the library; its file is `lib<name>.so`, and its headers are `<package>/<name>.h` and `<package>/<name>.hpp`.
      model: An `executorch_model`. Either this or `models` is mandatory.
      models: Several `executorch_model` targets.
      **kwargs: Other attributes of the rule, and attributes that every rule has.
    """
    executorch_shared_library_rule(name = name, models = library_models("executorch_shared_library", name, model, models, kwargs), **kwargs)
