"""executorch_kernels: kernels with the table that describes them."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "ExecutorchKernelsInfo")

_DOC = "A set of kernels: C libraries with one object an operator, and the operators.toml that lists them."

_ATTRS = {
    "operator_table": attr.label(
        allow_single_file = [".toml"],
        mandatory = True,
        doc = "The operators; its form is described in schema/operators.toml.",
    ),
    "deps": attr.label_list(
        providers = [CcInfo],
        doc = "cc_libraries that define the kernels.",
    ),
}

def _impl(ctx):
    return [
        DefaultInfo(files = depset([ctx.file.operator_table])),
        ExecutorchKernelsInfo(
            operator_table = ctx.file.operator_table,
            cc = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]),
        ),
    ]

executorch_kernels = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
)
