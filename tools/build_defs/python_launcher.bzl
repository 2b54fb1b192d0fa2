"""Programs and tests that run with the toolchain's interpreter and packages.

A py_binary would link each of torch's 15,000 files into the runfiles tree of each target. Here, the
packages are an archive of modules and some 400 files.
"""

load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:import_roots.bzl", "import_roots")  # buildifier: disable=bzl-visibility
load("//rules/private:labels.bzl", "folder_paths")  # buildifier: disable=bzl-visibility

# Modules are imported from this repository, also by targets of other repositories.
_REPOSITORY = Label("//tools/build_defs:python_launcher.bzl").workspace_name

_COMMON_ATTRS = {
    "data": attr.label_list(
        allow_files = True,
        doc = "Python sources, programs and files that the module or test uses.",
    ),
    "packages": attr.label_list(
        allow_files = True,
        doc = "Further directories of packages, searched after the toolchain's.",
    ),
    "env": attr.string_dict(doc = "Environment variables; `$(rootpath …)` is replaced."),
}

_BINARY_ATTRS = dict(
    _COMMON_ATTRS,
    module = attr.string(
        mandatory = True,
        doc = "Dotted name of the module to run.",
    ),
)

_TEST_ATTRS = dict(
    _COMMON_ATTRS,
    srcs = attr.label_list(
        allow_files = [".py"],
        mandatory = True,
        doc = "The test files.",
    ),
)

# `bazel run` and `bazel test` start in the root of the runfiles.
_LAUNCHER = """#!/bin/sh
# Generated.
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1
export PYTHONPATH="{paths}"
{exports}exec {python} {command} "$@"
"""

_PYTEST = "-m pytest -q -p no:cacheprovider --rootdir=. --basetemp=\"${TEST_TMPDIR:-/tmp}/pytest\" "

def _launch(ctx, command, sources):
    """Returns the providers of a target that runs `python <command>`."""
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE]
    package_roots = toolchain.packages.runfiles_roots + [folder_paths(package).short_path for package in ctx.attr.packages]
    root = "/../" + _REPOSITORY if _REPOSITORY else ""
    exports = [
        "export %s='%s'\n" % (name, ctx.expand_location(value, ctx.attr.data))
        for name, value in ctx.attr.env.items()
    ]
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(launcher, is_executable = True, content = _LAUNCHER.format(
        command = command,
        exports = "".join(exports),
        paths = ":".join(import_roots("$PWD" + root) + ["$PWD/" + path for path in package_roots]),
        python = toolchain.python.short_path,
    ))
    runfiles = ctx.runfiles(
        files = sources + ctx.files.data + ctx.files.packages + [toolchain.python] + toolchain.library,
        transitive_files = depset(transitive = [toolchain.python_files, toolchain.packages.files]),
    )
    for target in ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = launcher, runfiles = runfiles)]

def _binary_impl(ctx):
    return _launch(ctx, "-m " + ctx.attr.module, [])

def _test_impl(ctx):
    return _launch(ctx, _PYTEST + " ".join([file.short_path for file in ctx.files.srcs]), ctx.files.srcs)

python_binary = rule(
    implementation = _binary_impl,
    attrs = _BINARY_ATTRS,
    doc = "Runs a module of the repository.",
    executable = True,
    toolchains = [TOOLCHAIN_TYPE],
)

python_test = rule(
    implementation = _test_impl,
    attrs = _TEST_ATTRS,
    doc = "Runs pytest on `srcs`. The repository's import roots and the toolchain's packages are on PYTHONPATH.",
    test = True,
    toolchains = [TOOLCHAIN_TYPE],
)
