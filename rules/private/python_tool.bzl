"""Executable targets of users that run a module of this repository."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:import_roots.bzl", "import_roots")

# `bazel run` and `bazel test` start in the root of the runfiles.
_LAUNCHER = """#!/bin/sh
# Generated.
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1
export PYTHONPATH="{paths}"
exec {python} -m {module} {arguments} "$@"
"""

def tool_executable(ctx, module, sources, arguments, files, toolchain = None):
    """Returns the providers of a target that runs `python -m <module> <arguments>`.

    Args:
      ctx: the context of a rule with the toolchain.
      module: dotted name of the module.
      sources: Target: the module and everything it imports.
      arguments: list[string]: shell words.
      files: list[File]: files that the arguments name, by runfiles path.
      toolchain: toolchain that compiles models, if the module imports its packages. By default, the module has none.

    Returns:
      list[provider]
    """
    package_roots = toolchain.packages.runfiles_roots if toolchain else []
    package_files = [toolchain.packages.files] if toolchain else []
    toolchain = toolchain or ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    root = "../" + sources.label.workspace_name if sources.label.workspace_name else "."
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(launcher, is_executable = True, content = _LAUNCHER.format(
        arguments = " ".join(arguments),
        module = module,
        paths = ":".join(import_roots("$PWD/" + root) + ["$PWD/" + path for path in package_roots]),
        python = toolchain.python.short_path,
    ))
    runfiles = ctx.runfiles(
        files = files + [toolchain.python] + toolchain.library,
        transitive_files = depset(transitive = [toolchain.python_files, sources[DefaultInfo].files] + package_files),
    )
    return [DefaultInfo(executable = launcher, runfiles = runfiles)]
