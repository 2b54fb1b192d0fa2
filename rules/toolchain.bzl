"""Toolchains for compiling models and for generating code.

They declare the interpreter, the packages and the sources as inputs.
"""

load("//rules/private:locked_packages.bzl", "LockedPackagesInfo")

TOOLCHAIN_TYPE = str(Label("//rules:toolchain_type"))
CODEGEN_TOOLCHAIN_TYPE = str(Label("//rules:codegen_toolchain_type"))

_DOC = """The toolchain that compiles models.

It contains a Python interpreter with its standard library, a folder of packages (torch and others, from a hash-locked
requirements file), and the sources of the compiler."""

_CODEGEN_DOC = """The toolchain that reads programs and generates C.

It contains a Python interpreter without packages. Unlike the toolchain that compiles models, it needs no torch."""

_INTERPRETER_ATTRS = {
    "python": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "The interpreter: CPython 3.11 to 3.13.",
    ),
    "python_files": attr.label_list(
        allow_files = True,
        cfg = "exec",
        doc = "Other files that the interpreter needs.",
    ),
    "library": attr.label(
        allow_single_file = True,
        cfg = "exec",
        doc = "Folder of the standard library, as one source directory. Without it, the interpreter uses the library of the machine.",
    ),
    "identity": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "File that changes with the interpreter or the packages. It restarts workers and is part of cache keys.",
    ),
}

_ATTRS = dict(
    _INTERPRETER_ATTRS,
    site = attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "Folder of installed packages, as one source directory.",
    ),
    packages = attr.label(
        providers = [LockedPackagesInfo],
        doc = "List of the packages in `site`, such as `@executorch_pip//:packages`. If a model depends on one of them in another " +
              "repository, that copy is not an input of its actions, and a different version is an error. Without this list, such " +
              "copies are inputs, and come after `site` on the path.",
    ),
    compiler = attr.label(
        cfg = "exec",
        default = "//rules:compiler",
        doc = "Sources of the compiler (`compiler_sources`).",
    ),
    compiler_main = attr.label(
        allow_single_file = [".py"],
        cfg = "exec",
        default = "//exir:cli/start.py",
        doc = "Main file of the compiler, one of `compiler`.",
    ),
)

_CODEGEN_ATTRS = dict(
    _INTERPRETER_ATTRS,
    generators = attr.label(
        cfg = "exec",
        default = "//rules:generators",
        doc = "Sources of the code generators (`compiler_sources`): they write manifests and C.",
    ),
    reporters = attr.label(
        cfg = "exec",
        default = "//rules:reporters",
        doc = "Sources of the report generators (`compiler_sources`): they write HTML pages.",
    ),
)

def _sources_info(target):
    """Returns files, executable (see compiler_sources) and root folder of sources."""
    return struct(
        files = target[DefaultInfo].files,
        executable = target[DefaultInfo].files_to_run,
        root = target.label.workspace_root or ".",
    )

def _toolchain_info(ctx, toolchain_type, **fields):
    return platform_common.ToolchainInfo(
        toolchain_type = toolchain_type,
        python = ctx.file.python,
        library = [ctx.file.library] if ctx.file.library else [],
        python_files = depset(ctx.files.python_files),
        identity = ctx.file.identity,
        **fields
    )

def _toolchain_impl(ctx):
    return [_toolchain_info(
        ctx,
        TOOLCHAIN_TYPE,
        site = ctx.file.site,
        packages = ctx.attr.packages[LockedPackagesInfo].versions if ctx.attr.packages else {},
        compiler = _sources_info(ctx.attr.compiler),
        compiler_main = ctx.file.compiler_main,
    )]

def _codegen_impl(ctx):
    return [_toolchain_info(
        ctx,
        CODEGEN_TOOLCHAIN_TYPE,
        generators = _sources_info(ctx.attr.generators),
        reporters = _sources_info(ctx.attr.reporters),
    )]

executorch_toolchain = rule(
    implementation = _toolchain_impl,
    attrs = _ATTRS,
    doc = _DOC,
)

executorch_codegen_toolchain = rule(
    implementation = _codegen_impl,
    attrs = _CODEGEN_ATTRS,
    doc = _CODEGEN_DOC,
)
