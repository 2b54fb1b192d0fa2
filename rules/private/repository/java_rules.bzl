"""A repository that exports the Java rules that a workspace has selected.

The rules do not depend on rules_java, so users without Java do not download it.
"""

_SELECTED = """\
\"\"\"Generated: the Java rules of this workspace.\"\"\"

load("{rules}", _java_binary = "java_binary", _java_import = "java_import", _java_library = "java_library", _java_test = "java_test")

IS_SELECTED = True
java_binary = _java_binary
java_import = _java_import
java_library = _java_library
java_test = _java_test
"""

_NOT_SELECTED = """\
\"\"\"Generated: this workspace has not selected Java rules.\"\"\"

IS_SELECTED = False

def java_library(name, **_kwargs):
    fail("'%s': this workspace has not selected Java rules" % name)

java_binary = java_library
java_import = java_library
java_test = java_library
"""

_BUILD = """\
alias(
    name = "jni",
    actual = "{jni}",
    visibility = ["//visibility:public"],
)
"""

def _java_rules_impl(rctx):
    rules = rctx.attr.rules
    rctx.file("BUILD.bazel", _BUILD.format(jni = rctx.attr.jni), executable = False)
    rctx.file("defs.bzl", _SELECTED.format(rules = rules) if rules else _NOT_SELECTED, executable = False)

java_rules = repository_rule(
    implementation = _java_rules_impl,
    attrs = {
        "jni": attr.string(
            default = "@bazel_tools//tools/jdk:jni",
            doc = "The `cc_library` with `jni.h`.",
        ),
        "rules": attr.string(doc = "The `.bzl` file of the Java rules; '' if the workspace has none."),
    },
    doc = "Java rules of a workspace.",
)
