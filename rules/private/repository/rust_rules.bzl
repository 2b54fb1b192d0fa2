"""A repository that exports the Rust rules that a workspace has selected.

The rules do not depend on rules_rust, so users without Rust do not download it.
"""

_SELECTED = """\
\"\"\"Generated: the Rust rules of this workspace.\"\"\"

load("{rules}", _rust_binary = "rust_binary", _rust_library = "rust_library", _rust_test = "rust_test")

IS_SELECTED = True
rust_binary = _rust_binary
rust_library = _rust_library
rust_test = _rust_test
"""

_NOT_SELECTED = """\
\"\"\"Generated: this workspace has not selected Rust rules.\"\"\"

IS_SELECTED = False

def rust_library(name, **_kwargs):
    fail("'%s': this workspace has not selected Rust rules" % name)

rust_binary = rust_library
rust_test = rust_library
"""

def _rust_rules_impl(rctx):
    rctx.file("BUILD.bazel", "", executable = False)
    rules = rctx.attr.rules
    rctx.file("defs.bzl", _SELECTED.format(rules = rules) if rules else _NOT_SELECTED, executable = False)

rust_rules = repository_rule(
    implementation = _rust_rules_impl,
    attrs = {
        "rules": attr.string(doc = "The `.bzl` file of the Rust rules; '' if the workspace has none."),
    },
    doc = "Rust rules of a workspace.",
)
