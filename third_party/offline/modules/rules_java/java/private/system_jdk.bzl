"""The machine's JDK: $JAVA_HOME, or that of `javac` in the path."""

JdkInfo = provider(
    doc = "A JDK of the machine.",
    fields = {"home": "string: its absolute path; '' if the machine has none."},
)

def _jdk_impl(ctx):
    return [JdkInfo(home = ctx.attr.home)]

jdk = rule(
    implementation = _jdk_impl,
    attrs = {"home": attr.string(doc = "Absolute path of the JDK.")},
    doc = "A JDK of the machine.",
)

_BUILD = """\
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("{rule}", "jdk")

package(default_visibility = ["//visibility:public"])

jdk(
    name = "jdk",
    home = "{home}",
)

cc_library(
    name = "jni",
    hdrs = {headers},
    includes = ["include"],
)
"""

def _find_home(rctx):
    home = rctx.os.environ.get("JAVA_HOME")
    if home and rctx.path(home + "/bin/javac").exists:
        return str(rctx.path(home).realpath)
    javac = rctx.which("javac")
    return str(javac.realpath.dirname.dirname) if javac else ""

def _system_jdk_impl(rctx):
    home = _find_home(rctx)
    headers = []
    for path, name in [("jni.h", "jni.h"), ("linux/jni_md.h", "jni_md.h"), ("darwin/jni_md.h", "jni_md.h")]:
        file = rctx.path("%s/include/%s" % (home, path))
        if home and file.exists:
            rctx.symlink(file, "include/" + name)
            headers.append("include/" + name)
    rctx.file("BUILD.bazel", _BUILD.format(
        headers = headers,
        home = home,
        rule = Label("//java/private:system_jdk.bzl"),
    ), executable = False)

system_jdk = repository_rule(
    implementation = _system_jdk_impl,
    environ = ["JAVA_HOME", "PATH"],
    doc = "The machine's JDK.",
)

def _no_tools_impl(rctx):
    rctx.file("BUILD.bazel", "", executable = False)

no_tools = repository_rule(
    implementation = _no_tools_impl,
    doc = "An empty repository.",
)
