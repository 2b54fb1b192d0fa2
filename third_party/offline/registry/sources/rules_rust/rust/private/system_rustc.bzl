"""The machine's Rust compiler: $RUSTC, or `rustc` in the path."""

RustcInfo = provider(
    doc = "A Rust compiler of the machine.",
    fields = {"path": "string: its absolute path; '' if the machine has none."},
)

def _rustc_impl(ctx):
    return [RustcInfo(path = ctx.attr.path)]

rustc = rule(
    implementation = _rustc_impl,
    attrs = {"path": attr.string(doc = "Absolute path of the compiler.")},
    doc = "A Rust compiler of the machine.",
)

_BUILD = """\
load("{rule}", "rustc")

rustc(
    name = "rustc",
    path = "{path}",
    visibility = ["//visibility:public"],
)
"""

def _find_rustc(rctx):
    """Returns the path of the compiler itself. rustup's `rustc` is a launcher that needs the home folder."""
    found = rctx.os.environ.get("RUSTC") or rctx.which("rustc")
    if not found:
        return ""
    result = rctx.execute([found, "--print", "sysroot"])
    compiler = result.stdout.strip() + "/bin/rustc"
    return compiler if result.return_code == 0 and rctx.path(compiler).exists else ""

def _system_rustc_impl(rctx):
    rctx.file("BUILD.bazel", _BUILD.format(
        path = _find_rustc(rctx),
        rule = Label("//rust/private:system_rustc.bzl"),
    ), executable = False)

system_rustc = repository_rule(
    implementation = _system_rustc_impl,
    environ = ["PATH", "RUSTC"],
    doc = "The machine's Rust compiler.",
)

def _system_impl(_module_ctx):
    system_rustc(name = "system_rustc")

system = module_extension(implementation = _system_impl)
