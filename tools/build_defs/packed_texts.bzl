"""packed_texts: messages of the runtime's core as small C headers."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module")  # buildifier: disable=bzl-visibility

_DOC = """The headers `packed_ids.h` and `packed_table.h` of the package, which `runtime/core/packing.h` of the runtime tells of: the
texts of all sources that include it, packed."""

_ATTRS = {
    "srcs": attr.label_list(
        allow_files = [".c", ".h"],
        mandatory = True,
        doc = "The sources.",
    ),
    "_writer": attr.label(
        cfg = "exec",
        default = "//rules:text_packer",
    ),
}

def _impl(ctx):
    outputs = [ctx.actions.declare_file(name) for name in ["packed_ids.h", "packed_table.h"]]
    arguments = ctx.actions.args()
    arguments.add_all(outputs + ctx.files.srcs)
    run_module(
        ctx,
        ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE],
        struct(
            files = ctx.attr._writer[DefaultInfo].files,
            program = ctx.attr._writer[DefaultInfo].files_to_run,
            root = ctx.attr._writer.label.workspace_root or ".",
        ),
        module = "runtime.packing.write",
        arguments = arguments,
        inputs = depset(ctx.files.srcs),
        outputs = outputs,
        mnemonic = "ExecutorchPackTexts",
        message = "Packing the texts of %s" % display_label(ctx.label),
    )
    return [DefaultInfo(files = depset(outputs))]

packed_texts = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
