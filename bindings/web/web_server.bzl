"""executorch_web_server: serves a page during development."""

_LAUNCHER = """#!/bin/sh
# Generated. `bazel run` starts in the folder of the runfiles.
exec python3 '{program}' '{folder}' "$@"
"""

def _impl(ctx):
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(launcher, is_executable = True, content = _LAUNCHER.format(
        folder = "/".join([part for part in [ctx.label.workspace_root.replace("external/", "../"), ctx.label.package] if part]) or ".",
        program = ctx.file._program.short_path,
    ))
    return [DefaultInfo(
        executable = launcher,
        runfiles = ctx.runfiles(ctx.files.data + [ctx.file._program]),
    )]

executorch_web_server = rule(
    implementation = _impl,
    attrs = {
        "data": attr.label_list(
            allow_files = True,
            doc = "The files of the page, in this package.",
        ),
        "_program": attr.label(
            default = "//bindings/web:serve.py",
            allow_single_file = True,
        ),
    },
    doc = "A program that serves the files of its package, with the headers that WebAssembly needs. `bazel run` it with an optional port; " +
          "it needs `python3`, and only programs of this machine can connect. For production, use your own server.",
    executable = True,
)
