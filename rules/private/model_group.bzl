"""A group of models under one name."""

load("//rules/private:model_info.bzl", "model_info")

def _impl(ctx):
    infos = [model_info(ctx, model) for model in ctx.attr.models]
    programs = [info.pte for info in infos]
    manifests = [info.manifest for info in infos]
    weights = [info.weights for info in infos if info.weights]
    return [
        # Bazel 4 uses only the runfiles of `data`.
        DefaultInfo(files = depset(programs), runfiles = ctx.runfiles(programs)),
        OutputGroupInfo(
            # Files that Bazel writes with the default output of a target on the command line.
            _hidden_top_level_INTERNAL_ = depset(manifests + weights),
            manifest = depset(manifests),
            pte = depset(programs),
            weights = depset(weights),
        ),
    ]

# A filegroup does not work: in Bazel 4, it has no target_compatible_with.
executorch_model_group = rule(
    implementation = _impl,
    attrs = {
        "models": attr.label_list(
            mandatory = True,
            doc = "The models.",
        ),
    },
    doc = "Programs of several models; output groups: `pte`, `manifest`, `weights`.",
)
