"""codegen_action: files that a Python module without packages writes."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//tools/build_defs:module_action.bzl", "MODULE_ACTION_ATTRS", "run_module_action")

_DOC = "Writes files with a module of the code generators, without the packages that compile models."

_ATTRS = dict(
    MODULE_ACTION_ATTRS,
    module = attr.string(
        mandatory = True,
        doc = "Dotted name of the module.",
    ),
)

def _impl(ctx):
    return run_module_action(
        ctx,
        ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE],
        module = ctx.attr.module,
        mnemonic = "ExecutorchCodegen",
        progress_message = "Running %s for %s" % (ctx.attr.module, display_label(ctx.label)),
    )

codegen_action = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
