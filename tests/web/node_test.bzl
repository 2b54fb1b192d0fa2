"""A rule for tests that run with Node."""

# The tests start in the folder of the runfiles. Without the flags, Node would resolve the links there, and not
# find files of other packages and generated files next to sources. Before Node 22, WebSocket is experimental.
_LAUNCHER = """#!/bin/sh
# Generated.
exec node --preserve-symlinks --preserve-symlinks-main --experimental-websocket --expose-gc {arguments} "$@"
"""

def _impl(ctx):
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    arguments = [ctx.expand_location(argument, ctx.attr.data) for argument in ctx.attr.arguments]
    ctx.actions.write(launcher, is_executable = True, content = _LAUNCHER.format(
        arguments = " ".join(["'%s'" % argument for argument in [ctx.file.main.short_path] + arguments]),
    ))
    return [DefaultInfo(
        executable = launcher,
        runfiles = ctx.runfiles(ctx.files.data + [ctx.file.main]),
    )]

node_test = rule(
    implementation = _impl,
    attrs = {
        "arguments": attr.string_list(doc = "Arguments; `$(rootpath …)` is replaced."),
        "data": attr.label_list(
            allow_files = True,
            doc = "Files that the test reads.",
        ),
        "main": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "The module to run.",
        ),
    },
    doc = "A test that runs a module with the machine's Node.",
    test = True,
)
