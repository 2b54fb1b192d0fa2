"""executorch_import: a prebuilt program."""

load("//rules/private:arguments.bzl", "check_backend", "require")
load("//rules/private:import_rule.bzl", "executorch_import_delegated", executorch_import_rule = "executorch_import")
load("//rules/private:model_files.bzl", "model_files")

def executorch_import(name, pte = None, backend = None, **kwargs):
    """A prebuilt program, checked in or fetched, that is linked like an `executorch_model`.

    Args:
      name: Name of the target; C names start with the package and this name.
      pte: The program, a `.pte` file.
      backend: The `executorch_backend` of its delegates, or a list of several. A program without
        delegates needs none. For delegates that the official exporter wrote for XNNPACK, the rule
        links //backends/xnnpack automatically. Neither case needs torch.
      **kwargs: Other attributes of the rule, and attributes that every rule has.
    """
    where = "executorch_import(name = '%s')" % name
    require(where, "pte", pte, "the .pte file of the program")
    check_backend(where, backend)
    backends = backend if type(backend) == "list" else [backend] if backend else []
    if backends:
        executorch_import_delegated(name = name, pte = pte, backends = backends, **kwargs)
    else:
        executorch_import_rule(name = name, pte = pte, **kwargs)
    model_files(name, bool(kwargs.get("weights")), kwargs)
