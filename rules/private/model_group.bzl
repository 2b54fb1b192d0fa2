"""Several models under one name."""

load("//rules:providers.bzl", "ExecutorchModelInfo")

def _impl(ctx):
    return [DefaultInfo(files = depset(transitive = [model[DefaultInfo].files for model in ctx.attr.models]))]

# Not a filegroup, which the oldest Bazel does not let say what it is compatible with.
executorch_model_group = rule(
    implementation = _impl,
    attrs = {
        "models": attr.label_list(
            mandatory = True,
            providers = [ExecutorchModelInfo],
            doc = "The models.",
        ),
    },
    doc = "All of several models.",
)
