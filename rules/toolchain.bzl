"""The toolchains: interpreter, packages and sources of what compiles models, and of what links programs, as declared inputs."""

load("//rules/private:locked_packages.bzl", "LockedPackagesInfo")

TOOLCHAIN_TYPE = str(Label("//rules:toolchain_type"))
CODEGEN_TOOLCHAIN_TYPE = str(Label("//rules:codegen_toolchain_type"))

_DOC = """What compiles models: a Python interpreter with its library, the directory of its packages (torch and the rest, from a hash-locked
requirements file), and the compiler's sources."""

_CODEGEN_DOC = """What links programs: a Python interpreter without packages, and what reads programs and writes C. Apart from what
compiles models, as it needs no torch."""

_INTERPRETER_ATTRS = {
    "python": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "The interpreter's program: CPython 3.11 to 3.13.",
    ),
    "python_files": attr.label_list(
        allow_files = True,
        cfg = "exec",
        doc = "Files that the program needs beside it.",
    ),
    "library": attr.label(
        allow_single_file = True,
        cfg = "exec",
        doc = "The folder of its standard library, as one source directory; without it, where the program finds it on the machine.",
    ),
    "identity": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "File that changes when interpreter or packages do; it restarts workers and keys the cache.",
    ),
}

_ATTRS = dict(
    _INTERPRETER_ATTRS,
    site = attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "Directory of installed packages, as one source directory.",
    ),
    packages = attr.label(
        providers = [LockedPackagesInfo],
        doc = "What `site` has, as `@executorch_pip//:packages` says it: where a model depends on the same packages by another repository, " +
              "those stay out of its actions, and other versions are an error. Without it they are inputs, behind `site` on the path.",
    ),
    compiler = attr.label(
        cfg = "exec",
        default = "//rules:compiler",
        doc = "compiler_sources: the compiler.",
    ),
    compiler_main = attr.label(
        allow_single_file = [".py"],
        cfg = "exec",
        default = "//exir:cli/start.py",
        doc = "The compiler's program, of `compiler`.",
    ),
)

_CODEGEN_ATTRS = dict(
    _INTERPRETER_ATTRS,
    generators = attr.label(
        cfg = "exec",
        default = "//rules:generators",
        doc = "compiler_sources: what writes manifests of programs and C from manifests, and all that it imports.",
    ),
    reporters = attr.label(
        cfg = "exec",
        default = "//rules:reporters",
        doc = "compiler_sources: what writes pages of programs, and all that it imports.",
    ),
)

def _sources(target):
    """Files, program (see compiler_sources) and root folder of sources."""
    return struct(
        files = target[DefaultInfo].files,
        program = target[DefaultInfo].files_to_run,
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

def _impl(ctx):
    return [_toolchain_info(
        ctx,
        TOOLCHAIN_TYPE,
        site = ctx.file.site,
        packages = ctx.attr.packages[LockedPackagesInfo].versions if ctx.attr.packages else {},
        compiler = _sources(ctx.attr.compiler),
        compiler_main = ctx.file.compiler_main,
    )]

def _codegen_impl(ctx):
    return [_toolchain_info(
        ctx,
        CODEGEN_TOOLCHAIN_TYPE,
        generators = _sources(ctx.attr.generators),
        reporters = _sources(ctx.attr.reporters),
    )]

executorch_toolchain = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
)

executorch_codegen_toolchain = rule(
    implementation = _codegen_impl,
    attrs = _CODEGEN_ATTRS,
    doc = _CODEGEN_DOC,
)
