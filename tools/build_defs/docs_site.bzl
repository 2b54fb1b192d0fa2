"""docs_site: the documentation as a folder of HTML pages."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label", "folder_paths")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module")  # buildifier: disable=bzl-visibility
load("//rules/private:python_module.bzl", "module_file", "module_name")  # buildifier: disable=bzl-visibility

_DOC = """Renders Markdown pages with Sphinx.

The output is the folder `<name>`. Its bytes depend only on the pages, the generator and the locked packages."""

_ATTRS = {
    "srcs": attr.label_list(
        allow_files = [".md", ".png", ".svg"],
        mandatory = True,
        doc = "Pages and images, including `docs/index.md`.",
    ),
    "generator": attr.label(
        mandatory = True,
        providers = [PyInfo],
        doc = "`py_library` of the module that renders the pages.",
    ),
    "packages": attr.label(
        mandatory = True,
        allow_files = True,
        doc = "Folder of the Python packages that the generator imports.",
    ),
    "source_url": attr.string(
        doc = "Address of the repository's files, for links to files that are not pages. Without it, these files are not linked.",
    ),
}

def _impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    folder = ctx.actions.declare_directory(ctx.label.name)
    arguments = ctx.actions.args()
    arguments.add_all("--out", [folder], expand_directories = False)
    arguments.add("--source-url", ctx.attr.source_url)
    arguments.add_all(ctx.files.srcs)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = module_name(module_file(ctx.attr.generator, "generator")),
        arguments = arguments,
        inputs = depset(ctx.files.srcs + ctx.files.packages, transitive = [ctx.attr.generator[PyInfo].transitive_sources, ctx.attr.generator[DefaultInfo].default_runfiles.files]),
        outputs = [folder],
        mnemonic = "ExecutorchDocsSite",
        progress_message = "Rendering %s" % display_label(ctx.label),
        package_roots = [folder_paths(ctx.attr.packages).path],
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles([folder]))]

docs_site = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
