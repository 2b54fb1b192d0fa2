"""executorch_kernels: kernels with the tables that describe them."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "ExecutorchKernelsInfo")

_DOC = "A set of kernels: C libraries with one object per operator, and the tables that describe them."

_ATTRS = {
    "operators": attr.label(
        allow_single_file = [".toml"],
        doc = "Table of operators that `schema/operators.toml` does not have; that file describes the format.",
    ),
    "kernels": attr.label(
        allow_single_file = [".toml"],
        doc = "Table of the kernels; kernels/README.md describes the format.",
    ),
    "deps": attr.label_list(
        providers = [[CcInfo], [ExecutorchKernelsInfo]],
        doc = "`cc_library` targets that define the kernels, and other `executorch_kernels`.",
    ),
}

def _tables(file, transitive):
    return depset([file] if file else [], transitive = transitive)

def _impl(ctx):
    sets = [dep[ExecutorchKernelsInfo] for dep in ctx.attr.deps if ExecutorchKernelsInfo in dep]
    libraries = [dep[CcInfo] for dep in ctx.attr.deps if CcInfo in dep]
    operators = _tables(ctx.file.operators, [each.operator_tables for each in sets])
    kernels = _tables(ctx.file.kernels, [each.kernel_tables for each in sets])
    return [
        DefaultInfo(files = depset(transitive = [operators, kernels])),
        ExecutorchKernelsInfo(
            operator_tables = operators,
            kernel_tables = kernels,
            cc = cc_common.merge_cc_infos(cc_infos = libraries + [each.cc for each in sets]),
        ),
    ]

executorch_kernels = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    provides = [ExecutorchKernelsInfo],
)
