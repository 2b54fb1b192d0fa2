"""executorch_benchmark: measure the latency of a model with `bazel run`."""

load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:model_info.bzl", "model_info")
load("//rules/private:python_tool.bzl", "tool_executable")

_DOC = """Measures the latency of a model on this machine: `bazel run <name>`.

Prints the latency distribution and the time of each operator. With `against`, the runs of both programs alternate, so that
other load on the machine affects both. Options follow `--`: `--repeat 1000`, `--json FILE`, `--svg FILE` (a chart), and
`--against FILE` (a `.pte`, or the `.json` of an earlier run)."""

_ATTRS = {
    "model": attr.label(
        mandatory = True,
        doc = "An `executorch_model` or `executorch_import`.",
    ),
    "against": attr.label(
        allow_files = [".pte"],
        doc = "Model or `.pte` file to compare with.",
    ),
    "inputs": attr.label(
        allow_single_file = [".npz", ".npy"],
        doc = "Inputs of a call, in a format that `executorch_run` accepts; random by default.",
    ),
    "repeat": attr.int(
        default = 100,
        doc = "Number of timed runs.",
    ),
    "threads": attr.int(
        default = 1,
        doc = "Number of threads.",
    ),
    "_runtime": attr.label(default = "//bindings/python/executorch_runtime:sources"),
}

def _baseline(ctx):
    """Returns the program to compare with, and its external weights."""
    target = ctx.attr.against
    if not target:
        return None, None
    if ExecutorchModelInfo in target:
        return target[ExecutorchModelInfo].pte, target[ExecutorchModelInfo].weights
    files = target[DefaultInfo].files.to_list()
    if len(files) != 1:
        fail("%s: 'against' %s has %d files; specify one program" % (display_label(ctx.label), display_label(target.label), len(files)))
    return files[0], None

def _impl(ctx):
    for attribute in ["repeat", "threads"]:
        if getattr(ctx.attr, attribute) < 1:
            fail("%s: '%s' must be at least 1, got %d" % (display_label(ctx.label), attribute, getattr(ctx.attr, attribute)))
    model = model_info(ctx, ctx.attr.model)
    baseline, baseline_weights = _baseline(ctx)
    optional_flags = [("--weights", model.weights), ("--input", ctx.file.inputs), ("--against", baseline), ("--against-weights", baseline_weights)]
    file_flags = [(flag, file) for flag, file in optional_flags if file]

    # `bazel run` starts in the runfiles, but the tool resolves relative paths in the user's working
    # directory.
    arguments = [_absolute_path(model.pte)]
    for flag, file in file_flags:
        arguments += [flag, _absolute_path(file)]
    return tool_executable(
        ctx,
        module = "executorch_runtime.cli.benchmark",
        sources = ctx.attr._runtime,
        arguments = arguments + ["--repeat", str(ctx.attr.repeat), "--threads", str(ctx.attr.threads)],
        files = [model.pte] + [file for _, file in file_flags],
        toolchain = ctx.toolchains[TOOLCHAIN_TYPE],
    )

def _absolute_path(file):
    return "\"$PWD\"/'%s'" % file.short_path.replace("'", "'\\''")

executorch_benchmark = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    executable = True,
    toolchains = [TOOLCHAIN_TYPE],
)
