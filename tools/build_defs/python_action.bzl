"""python_action: files that a Python module writes. The module can import torch."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE", "TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label", "folder_paths")  # buildifier: disable=bzl-visibility
load("//rules/private:python_module.bzl", "module_file", "module_name")  # buildifier: disable=bzl-visibility
load("//tools/build_defs:module_action.bzl", "MODULE_ACTION_ATTRS", "run_module_action")

_DOC = "Writes files with a Python module of this repository, and the toolchain's interpreter and packages."

_ATTRS = dict(
    MODULE_ACTION_ATTRS,
    main = attr.label(
        mandatory = True,
        providers = [PyInfo],
        doc = "`py_library` of the module. The module can read the data of its libraries.",
    ),
    packages = attr.label_list(
        allow_files = True,
        doc = "Folders of further packages that the module imports.",
    ),
)

def _impl(ctx):
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE]
    return run_module_action(
        ctx,
        toolchain,
        module = module_name(module_file(ctx.attr.main, "main")),
        mnemonic = "ExecutorchPython",
        progress_message = "Running %s" % display_label(ctx.label),
        sources = [
            ctx.attr.main[PyInfo].transitive_sources,
            ctx.attr.main[DefaultInfo].default_runfiles.files,
            toolchain.packages.files,
            depset(ctx.files.packages),
        ],
        package_roots = toolchain.packages.roots + [folder_paths(each).path for each in ctx.attr.packages],
    )

python_action = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    toolchains = [TOOLCHAIN_TYPE, CODEGEN_TOOLCHAIN_TYPE],
)
