"""executorch_import: a program that was made elsewhere."""

load("//rules/private:arguments.bzl", "check_backend", "require")
load("//rules/private:import_rule.bzl", "executorch_import_delegated", executorch_import_rule = "executorch_import")
load("//rules/private:model_files.bzl", "model_files")

def executorch_import(name, pte = None, backend = None, **kwargs):
    """A program that was made elsewhere, checked in or fetched, as one that `executorch_model` has compiled.

    Args:
      name: name of the target; its names in C begin with it, after the package.
      pte: the program, a `.pte` file.
      backend: label of the `executorch_backend` that its delegates are for, or a list of several. Without delegates, and for those that the
        official exporter writes for XNNPACK, neither this nor torch is needed: //backends/xnnpack is linked by itself where the program names it.
      **kwargs: further attributes of the rule, and the attributes that every rule has.
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
