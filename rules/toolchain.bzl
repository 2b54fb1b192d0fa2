"""The compiler's toolchain: interpreter, packages and compiler sources as declared inputs."""

TOOLCHAIN_TYPE = str(Label("//rules:toolchain_type"))

_DOC = """What compiles models: a Python interpreter, the directory of its packages (torch and the rest, from a hash-locked
requirements file), and the compiler's sources."""

_ATTRS = {
    "python": attr.label(
        allow_single_file = True,
        cfg = "exec",
        mandatory = True,
        doc = "The interpreter.",
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
        mandatory = True,
        doc = "compiler_sources: the compiler and the C generators.",
    ),
}

def _impl(ctx):
    return [platform_common.ToolchainInfo(
        python = ctx.file.python,
        site = ctx.file.site,
        identity = ctx.file.identity,
        compiler = ctx.attr.compiler[DefaultInfo].files,
        compiler_program = ctx.attr.compiler[DefaultInfo].files_to_run,
        compiler_root = ctx.attr.compiler.label.workspace_root or ".",
    )]

executorch_toolchain = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
)
