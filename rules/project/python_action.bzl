"""python_action: files made by a Python module that may import torch."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE", "TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_module")
load("//rules/private:python_module.bzl", "module_file", "module_name")

_DOC = "Runs a Python module of this repository with the toolchain's interpreter and packages to make files."

_ATTRS = {
    "main": attr.label(
        mandatory = True,
        providers = [PyInfo],
        doc = "py_library whose module is run.",
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
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE]
    args = ctx.actions.args()
    args.add_all([ctx.expand_location(argument, ctx.attr.srcs) for argument in ctx.attr.arguments])
    args.add_all(ctx.outputs.outs)
    run_module(
        ctx,
        toolchain,
        ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE].generators,
        module = module_name(module_file(ctx.attr.main, "main")),
        arguments = args,
        inputs = depset(ctx.files.srcs, transitive = [ctx.attr.main[PyInfo].transitive_sources]),
        outputs = ctx.outputs.outs,
        mnemonic = "ExecutorchPython",
        message = "Running %s" % display_label(ctx.label),
        packages = [toolchain.site],
    )
    return [DefaultInfo(files = depset(ctx.outputs.outs))]

python_action = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    toolchains = [TOOLCHAIN_TYPE, CODEGEN_TOOLCHAIN_TYPE],
)
