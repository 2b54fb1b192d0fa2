"""compiled_models: every model for every backend."""

load("//rules:defs.bzl", "executorch_model")

def compiled_models(name, backends, models, weights = {}):
    """Compiles each model for each backend, as `<model>_<backend>.pte`.

    Args:
      name: filegroup of all programs and manifests.
      backends: folders in //backends.
      models: py_library by model; the entry point has the model's name.
      weights: published file by model.
    """

    # Manual, like the benchmarks that measure these models.
    tags = ["manual"]
    programs = []
    for backend in backends:
        for model, module in models.items():
            program = "%s_%s_pte" % (model, backend)
            executorch_model(
                name = program,
                backend = "//backends/" + backend,
                entry_point = model,
                module = module,
                weights = weights.get(model),
                tags = tags,
            )
            programs += [program, program + ".manifest.json"]
    native.filegroup(
        name = name,
        srcs = programs,
        tags = tags,
    )
