"""executorch_backend: one label for the compiler side and the runtime side of a backend."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo")
load("//rules/private:distributions.bzl", "distributions_aspect")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_module.bzl", "data_files", "module_file", "module_name", "python_library")

_DOC = """A backend that `executorch_model` can compile for.

It has up to two sides: a Python library that defines a partitioner, for the compiler, and a C library that defines an
`et_backend`, for the runtime. A backend with neither side is the portable backend: kernels compute all
operators. See docs/how_to/add_a_backend.md."""

_ATTRS = {
    "id": attr.string(doc = "Id of the backend in programs (`BackendDelegate.id`)."),
    "partitioner": attr.label(
        aspects = [distributions_aspect],
        providers = [PyInfo],
        doc = "`py_library` with the compiler side.",
    ),
    "entry_point": attr.string(
        default = "BACKEND",
        doc = "Attribute of that library that is a `BackendEntry` (exir/backend).",
    ),
    "runtime": attr.label(
        providers = [CcInfo],
        doc = "`cc_library` that defines `symbol`.",
    ),
    "symbol": attr.string(doc = "C symbol of the `const et_backend`."),
    "measure": attr.label(
        executable = True,
        cfg = "exec",
        doc = "Program that reads a payload and prints the memory that its delegate needs; for backends without a compiler side, whose " +
              "programs are imported.",
    ),
    "data": attr.label_list(
        allow_files = True,
        doc = "Files that the compiler side reads with `exir.data_path(\"<package>/<file>\")`.",
    ),
    "tools": attr.label_list(
        allow_files = True,
        cfg = "exec",
        doc = "Programs that the compiler side runs; `exir.data_path` also returns their paths.",
    ),
    "kernels": attr.label_list(
        providers = [ExecutorchKernelsInfo],
        doc = "`executorch_kernels` that programs for this backend can call, in addition to the built-in kernels.",
    ),
}

def _check_attrs(ctx):
    if bool(ctx.attr.id) != bool(ctx.attr.partitioner or ctx.attr.measure):
        fail("%s: 'id' and 'partitioner' must be set together; set both, or neither for a backend without delegates" % display_label(ctx.label))
    if bool(ctx.attr.runtime) != bool(ctx.attr.symbol):
        fail("%s: 'runtime' and 'symbol' must be set together" % display_label(ctx.label))

def _impl(ctx):
    _check_attrs(ctx)
    target = ctx.attr.partitioner
    libraries = [python_library(target)] if target else []
    partitioner = "%s:%s" % (module_name(module_file(target, "partitioner"), target[PyInfo].imports), ctx.attr.entry_point) if target else ""
    return [
        DefaultInfo(),
        ExecutorchBackendInfo(
            id = ctx.attr.id,
            partitioner = partitioner,
            sources = depset(transitive = [library.sources for library in libraries]),
            imports = depset(transitive = [library.imports for library in libraries]),
            data = depset(transitive = [library.data for library in libraries] + [data_files(ctx.attr.data)]),
            distributions = libraries[0].distributions if libraries else depset(),
            tools = [tool[DefaultInfo].files_to_run for tool in ctx.attr.tools],
            kernels = depset([target[ExecutorchKernelsInfo] for target in ctx.attr.kernels]),
            measure = ctx.attr.measure[DefaultInfo].files_to_run if ctx.attr.measure else None,
            symbol = ctx.attr.symbol,
            cc = ctx.attr.runtime[CcInfo] if ctx.attr.runtime else None,
        ),
    ]

executorch_backend = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
)
