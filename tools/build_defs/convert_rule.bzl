"""The program of //exir:convert, which compiles a model that has no target."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:distributions.bzl", "check_versions", "distributions_aspect")  # buildifier: disable=bzl-visibility
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:python_module.bzl", "imported_library", "python_library")  # buildifier: disable=bzl-visibility

# As in a build action, the model can import `exir` from these rules, but no other package of their
# repository. `bazel run` starts in the root of the runfiles. Paths are absolute, because the
# program changes its working directory.
_LAUNCHER = """#!/bin/sh
# Generated.
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1
export PYTHONPATH="{packages}"
exec "$PWD/{python}" "$PWD/{start}" -m exir.cli.convert {flags} "$@"
"""

def _import_root(entry, workspace_name):
    """Returns the runfiles path of an entry of PyInfo.imports."""
    repository, _, path = entry.partition("/")
    return (path or ".") if repository in [workspace_name, "_main"] else "../" + entry

def _impl(ctx):
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE]
    packages = python_library(ctx.attr.packages)
    check_versions(display_label(ctx.label), "packages", packages, toolchain.packages.versions)
    library = imported_library(packages, toolchain.packages.versions)
    roots = [_import_root(entry, ctx.workspace_name) for entry in library.imports.to_list()]
    flags = ['"--kernels=$PWD/%s"' % table.short_path for table in ctx.files.kernels] + ['"--import-root=$PWD/%s"' % root for root in roots]
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(launcher, is_executable = True, content = _LAUNCHER.format(
        flags = " ".join(flags),
        packages = ":".join(["$PWD/" + path for path in toolchain.packages.runfiles_roots]),
        python = toolchain.python.short_path,
        start = ctx.file.start.short_path,
    ))
    runfiles = ctx.runfiles(
        files = ctx.files.srcs + ctx.files.kernels + [ctx.file.start, toolchain.python] + toolchain.library,
        transitive_files = depset(transitive = [toolchain.python_files, toolchain.packages.files, library.sources, library.data]),
    )
    return [DefaultInfo(executable = launcher, runfiles = runfiles)]

convert_program = rule(
    implementation = _impl,
    attrs = {
        "srcs": attr.label_list(
            allow_files = True,
            doc = "The compiler.",
        ),
        "start": attr.label(
            mandatory = True,
            allow_single_file = [".py"],
            doc = "The compiler's program.",
        ),
        "kernels": attr.label_list(
            allow_files = [".toml"],
            doc = "Tables of kernels to check programs against.",
        ),
        "packages": attr.label(
            mandatory = True,
            aspects = [distributions_aspect],
            providers = [PyInfo],
            doc = "Library whose packages models can import.",
        ),
    },
    doc = "Runs exir.cli.convert.",
    executable = True,
    toolchains = [TOOLCHAIN_TYPE],
)
