"""The compiler's toolchain: interpreter, packages and compiler sources as declared inputs."""

TOOLCHAIN_TYPE = str(Label("//rules:toolchain_type"))

_DOC = """What compiles models: a Python interpreter, the directory of its packages (torch and the rest, from a hash-locked
requirements file), and the compiler's sources."""

_ATTRS = {
    "python": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "The interpreter's program: CPython 3.11.",
    ),
    "python_files": attr.label_list(
        allow_files = True,
        cfg = "exec",
        doc = "What the program needs beside it: the standard library of an interpreter that is not the system's.",
    ),
    "site": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "Directory of installed packages, as one source directory.",
    ),
    "identity": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "File that changes when interpreter or packages do; it restarts workers and keys the cache.",
    ),
    "compiler": attr.label(
        cfg = "exec",
        default = "//rules:compiler",
        doc = "compiler_sources: the compiler.",
    ),
    "compiler_main": attr.label(
        allow_single_file = [".py"],
        cfg = "exec",
        default = "//exir:cli/start.py",
        doc = "The compiler's program, of `compiler`.",
    ),
    "generators": attr.label(
        cfg = "exec",
        default = "//rules:generators",
        doc = "compiler_sources: what writes C from manifests, and all that it imports.",
    ),
}

def _sources(target):
    """Files, program (see compiler_sources) and root folder of sources."""
    return struct(
        files = target[DefaultInfo].files,
        program = target[DefaultInfo].files_to_run,
        root = target.label.workspace_root or ".",
    )

def _impl(ctx):
    return [platform_common.ToolchainInfo(
        python = ctx.file.python,
        python_files = depset(ctx.files.python_files),
        site = ctx.file.site,
        identity = ctx.file.identity,
        compiler = _sources(ctx.attr.compiler),
        compiler_main = ctx.file.compiler_main,
        generators = _sources(ctx.attr.generators),
    )]

executorch_toolchain = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
)
