"""The benchmark of calls from Java, for workspaces that have selected Java rules."""

load("@executorch_java_rules//:defs.bzl", "IS_SELECTED", "java_binary")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("//bindings/java:defs.bzl", "executorch_java_library")

_TAGS = ["manual"]

# buildifier: disable=unnamed-macro
def java_calls():
    """Declares //benchmarks:java_calls."""
    if not IS_SELECTED:
        return
    executorch_java_library(
        name = "java_calls_models",
        models = {
            "//models:mobilenet_cpu_pte": "MobileNet",
            "//runtime/size:add": "Add",
        },
        package = "benchmarks",
        tags = _TAGS,
    )
    cc_binary(
        name = "libjava_calls_c.so",
        srcs = ["java_calls.c"],
        copts = [
            "-std=c11",
            "-O2",
            "-Wall",
            "-Wextra",
        ],
        features = ["-legacy_whole_archive"],
        linkopts = ["-Wl,-Bsymbolic"],
        linkshared = True,
        tags = _TAGS,
        deps = [
            "//models:mobilenet_cpu_cc",
            "//runtime/extension:hosted_method",
            "//runtime/size:add_cc",
            "@executorch_java_rules//:jni",
        ],
    )
    java_binary(
        name = "java_calls",
        srcs = ["JavaCalls.java"],
        args = ["$(rootpath libjava_calls_c.so)"],
        data = ["libjava_calls_c.so"],
        main_class = "benchmarks.JavaCalls",
        tags = _TAGS,
        deps = [
            ":java_calls_models",
            "//bindings/java:executorch",
        ],
    )
