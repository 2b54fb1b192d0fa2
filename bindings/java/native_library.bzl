"""The shared library with the native functions of Java classes."""

load("@executorch_java_rules//:defs.bzl", "IS_SELECTED", "java_import")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load(":java_source.bzl", "java_natives", "java_natives_for_platforms")

# Java's names of platforms: org.executorch.bazel.NativeLibrary has the same.
_OS = {
    Label("@platforms//os:android"): "android",
    Label("@platforms//os:linux"): "linux",
    Label("@platforms//os:macos"): "macos",
    Label("@platforms//os:windows"): "windows",
}
_CPU = {
    Label("@platforms//cpu:aarch64"): "aarch64",
    Label("@platforms//cpu:arm"): "arm",
    Label("@platforms//cpu:armv7"): "arm",
    Label("@platforms//cpu:riscv64"): "riscv64",
    Label("@platforms//cpu:x86_32"): "x86_32",
    Label("@platforms//cpu:x86_64"): "x86_64",
}

_MACOS = Label("@platforms//os:macos")

_EXPORTS = {
    _MACOS: Label("//bindings/java:jni/exports_macos.txt"),
    "//conditions:default": Label("//bindings/java:jni/exports.lds"),
}

JAVACOPTS = ["--release", "11"]

def native_library(name, srcs, deps, library_name, platforms, visibility, common, natives = Label("//bindings/java:natives")):
    """Declares a shared library, and a jar with it; returns the label of the jar as a Java library.

    Args:
      name: name of the Java library.
      srcs: sources of the shared library.
      deps: libraries that it contains, besides the native functions.
      library_name: name in the jar, without `_jni`.
      platforms: platforms of the jar, or [].
      visibility: visibility of the shared library and the jar.
      common: dict, attributes of all targets.
      natives: library with JNI_OnLoad.

    Returns:
      string: a label.
    """
    cc_binary(
        name = "lib%s_jni.so" % name,
        srcs = srcs,
        additional_linker_inputs = select({os: [label] for os, label in _EXPORTS.items()}),
        copts = ["-std=c11"],
        # Whole archives would contain every kernel.
        features = ["-legacy_whole_archive"],
        linkopts = select({
            _MACOS: ["-Wl,-exported_symbols_list,$(execpath %s)" % _EXPORTS[_MACOS]],
            "//conditions:default": ["-Wl,--version-script=$(execpath %s)" % _EXPORTS["//conditions:default"]],
        }),
        linkshared = True,
        visibility = visibility,
        deps = deps + [natives],
        **common
    )
    jar = name + "_natives"
    java_natives(
        name = jar + "_of_platform" if platforms else jar,
        cpu = select(_CPU),
        library = "lib%s_jni.so" % name,
        library_name = library_name,
        os = select(_OS),
        visibility = visibility,
        **common
    )
    if platforms:
        java_natives_for_platforms(
            name = jar,
            natives = jar + "_of_platform",
            platforms = platforms,
            visibility = visibility,
            **common
        )
    java_import(
        name = jar + "_import",
        jars = [jar],
        visibility = ["//visibility:private"],
        **common
    )
    return jar + "_import"

def check_java_rules(rule_name, name):
    if not IS_SELECTED:
        fail(("%s(name = '%s'): this workspace has not selected Java rules; " +
              "add executorch.java(rules = \"@rules_java//java:defs.bzl\") to MODULE.bazel, " +
              "or pass java = \"@rules_java//java:defs.bzl\" to executorch_dependencies in WORKSPACE") % (rule_name, name))

def classes_of_library(name, visibility, common, more = []):
    """Declares the jars with the classes of a Java library, for executorch_aar.

    Args:
      name: name of the Java library.
      visibility: visibility of the jars.
      common: dict, attributes of all targets.
      more: other libraries that the app needs.
    """
    native.filegroup(
        name = name + "_classes",
        srcs = [name, Label("//bindings/java:executorch")] + more,
        visibility = visibility,
        **common
    )
