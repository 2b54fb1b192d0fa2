"""codegen_action: files made by a Python module that needs no package."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_module")

_DOC = "Runs a module of the code generation's sources to make files, without the packages that models are compiled with."

_ATTRS = {
    "module": attr.string(
        mandatory = True,
        doc = "Its dotted name.",
    ),
    "srcs": attr.label_list(
        allow_files = True,
        doc = "Input files.",
    ),
    "outs": attr.output_list(
        mandatory = True,
        doc = "Files it makes.",
    ),
    "arguments": attr.string_list(doc = "Command line, before the paths of `outs`; `$(location …)` is replaced."),
}

def _impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    args = ctx.actions.args()
    args.add_all([ctx.expand_location(argument, ctx.attr.srcs) for argument in ctx.attr.arguments])
    args.add_all(ctx.outputs.outs)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = ctx.attr.module,
        arguments = args,
        inputs = depset(ctx.files.srcs),
        outputs = ctx.outputs.outs,
        mnemonic = "ExecutorchCodegen",
        message = "Running %s for %s" % (ctx.attr.module, display_label(ctx.label)),
    )
    return [DefaultInfo(files = depset(ctx.outputs.outs))]

codegen_action = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
