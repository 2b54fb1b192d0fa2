"""executorch_kernels: kernels with the tables that describe them."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "ExecutorchKernelsInfo")

_DOC = "A set of kernels: C libraries with one object per operator, and the tables that describe them."

_ATTRS = {
    "operators": attr.label(
        allow_single_file = [".toml"],
        doc = "Table of operators that `schema/operators.toml` does not contain, in the format of that file.",
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

def _table_depset(file, transitive):
    return depset([file] if file else [], transitive = transitive)

def _impl(ctx):
    kernel_infos = [dep[ExecutorchKernelsInfo] for dep in ctx.attr.deps if ExecutorchKernelsInfo in dep]
    cc_infos = [dep[CcInfo] for dep in ctx.attr.deps if CcInfo in dep]
    operators = _table_depset(ctx.file.operators, [info.operator_tables for info in kernel_infos])
    kernels = _table_depset(ctx.file.kernels, [info.kernel_tables for info in kernel_infos])
    return [
        DefaultInfo(files = depset(transitive = [operators, kernels])),
        ExecutorchKernelsInfo(
            operator_tables = operators,
            kernel_tables = kernels,
            cc = cc_common.merge_cc_infos(cc_infos = cc_infos + [info.cc for info in kernel_infos]),
        ),
    ]

executorch_kernels = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    provides = [ExecutorchKernelsInfo],
)
