"""executorch_benchmark: how long a model takes, run by `bazel run`."""

load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_tool.bzl", "tool_executable")

_DOC = """How long a model takes on this machine, and where: `bazel run <name>`.

Prints the distribution of latencies and what each operator takes. With `against` the two programs are run by turns, so that what else the machine does falls on
both. Further flags follow `--`: `--repeat 1000`, `--json FILE`, `--svg FILE` (a picture), `--against FILE`, another `.pte` or the `.json` of an earlier run."""

_ATTRS = {
    "model": attr.label(
        mandatory = True,
        providers = [ExecutorchModelInfo],
        doc = "The `executorch_model` or `executorch_import`.",
    ),
    "against": attr.label(
        allow_files = [".pte"],
        doc = "What it is compared with: another model, or a `.pte` file that was checked in.",
    ),
    "inputs": attr.label(
        allow_single_file = [".npz", ".npy"],
        doc = "Inputs of a call, as `executorch_run` takes them; random ones without it.",
    ),
    "repeat": attr.int(
        default = 100,
        doc = "Runs that are timed.",
    ),
    "threads": attr.int(
        default = 1,
        doc = "To run on.",
    ),
    "_runtime": attr.label(default = "//executorch_runtime:sources"),
}

def _other(ctx):
    """The program that it is compared with, and its weights where they lie apart."""
    target = ctx.attr.against
    if not target:
        return None, None
    if ExecutorchModelInfo in target:
        return target[ExecutorchModelInfo].pte, target[ExecutorchModelInfo].weights
    files = target[DefaultInfo].files.to_list()
    if len(files) != 1:
        fail("%s: 'against' %s has %d files; name one program" % (display_label(ctx.label), display_label(target.label), len(files)))
    return files[0], None

def _impl(ctx):
    for attribute in ["repeat", "threads"]:
        if getattr(ctx.attr, attribute) < 1:
            fail("%s: '%s' must be at least 1, got %d" % (display_label(ctx.label), attribute, getattr(ctx.attr, attribute)))
    model = ctx.attr.model[ExecutorchModelInfo]
    other, other_weights = _other(ctx)
    named = [("--weights", model.weights), ("--input", ctx.file.inputs), ("--against", other), ("--against-weights", other_weights)]
    named = [(flag, file) for flag, file in named if file]

    # `bazel run` starts in the runfiles, and the program takes paths to be relative to where the user stands.
    words = [_path(model.pte)] + [word for flag, file in named for word in [flag, _path(file)]]
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE]
    return tool_executable(
        ctx,
        module = "executorch_runtime.cli.benchmark",
        sources = ctx.attr._runtime,
        arguments = words + ["--repeat", str(ctx.attr.repeat), "--threads", str(ctx.attr.threads)],
        files = [model.pte] + [file for _, file in named],
        packages = [toolchain.site],
        toolchain_type = TOOLCHAIN_TYPE,
    )

def _path(file):
    return "\"$PWD\"/'%s'" % file.short_path.replace("'", "'\\''")

executorch_benchmark = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    executable = True,
    toolchains = [TOOLCHAIN_TYPE],
)
