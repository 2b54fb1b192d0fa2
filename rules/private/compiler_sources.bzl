"""compiler_sources: the compiler's files. A changed file restarts the workers."""

_DOC = """Sources that actions run, as files and as an executable target that has them in its runfiles.

Bazel 4 restarts a worker only if the runfiles of an executable tool change. It does not detect
changes of plain files among the tools, so the worker would use the old compiler. The executable is
never run."""

_ATTRS = {
    "srcs": attr.label_list(
        allow_files = True,
        mandatory = True,
        doc = "The sources, and other files whose changes restart a worker.",
    ),
}

def _impl(ctx):
    program = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(program, "#!/bin/sh\nexit 1\n", is_executable = True)
    return [DefaultInfo(
        executable = program,
        files = depset(ctx.files.srcs),
        runfiles = ctx.runfiles(ctx.files.srcs),
    )]

compiler_sources = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    executable = True,
)
