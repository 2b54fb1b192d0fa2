"""executorch_web_server: serves a page during development."""

_LAUNCHER = """#!/bin/sh
# Generated. `bazel run` starts in the folder of the runfiles.
exec python3 '{program}' {flags}'{folder}' "$@"
"""

def _impl(ctx):
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(launcher, is_executable = True, content = _LAUNCHER.format(
        flags = "--cross-origin-isolated " if ctx.attr.cross_origin_isolated else "",
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
        "cross_origin_isolated": attr.bool(
            doc = "Whether the server sends the headers COOP and COEP, which threads need. Files of other sites then need the header " +
                  "`Cross-Origin-Resource-Policy`.",
        ),
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
