"""Targets for a program's other files: `<model>.manifest.json` and `<model>.ptd`."""

load("//rules:providers.bzl", "ExecutorchModelInfo")

_FILE_KINDS = ["manifest", "weights"]

# Attributes of the model that also apply to the targets of its files.
_PROPAGATED_ATTRS = ["compatible_with", "restricted_to", "tags", "target_compatible_with", "testonly", "visibility"]

def _impl(ctx):
    file = getattr(ctx.attr.model[ExecutorchModelInfo], ctx.attr.file)
    files = [file] if file else []
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

executorch_model_file = rule(
    implementation = _impl,
    attrs = {
        "model": attr.label(
            mandatory = True,
            providers = [ExecutorchModelInfo],
            doc = "The model.",
        ),
        "file": attr.string(
            mandatory = True,
            values = _FILE_KINDS,
            doc = "Kind of the file.",
        ),
    },
    doc = "A file of a model other than its program.",
)

def model_files(name, has_weights, attrs):
    """Defines a target for each file of a model other than its program.

    Args:
      name: name of the model's target.
      has_weights: whether the model has external weights.
      attrs: dict: attributes of the model's target.
    """
    propagated = {key: attrs[key] for key in _PROPAGATED_ATTRS if key in attrs}

    # Manual: the model builds the files, and Bazel's time for a build without changes grows with the
    # square of the number of targets in `//...`.
    propagated["tags"] = ["manual"] + (attrs.get("tags") or [])
    for suffix, file in [("manifest.json", "manifest")] + ([("ptd", "weights")] if has_weights else []):
        executorch_model_file(
            name = "%s.%s" % (name, suffix),
            file = file,
            model = ":" + name,
            **propagated
        )
