"""Compiled models as Java classes with a native library.

The rules have their own file, because they require Java rules: `@rules_executorch//bindings/java:defs.bzl`.
"""

load("@executorch_java_rules//:defs.bzl", "java_library")
load("//rules:defs.bzl", "executorch_cc_library")
load(":aar_rule.bzl", "aar")
load(":java_source.bzl", "java_source")
load(":llm_library.bzl", _executorch_llm_java_library = "executorch_llm_java_library")
load(":native_library.bzl", "JAVACOPTS", "check_java_rules", "classes_of_library", "native_library")

executorch_llm_java_library = _executorch_llm_java_library

def executorch_java_library(name, package, model = None, class_name = "", models = {}, borrow = [], platforms = [], javacopts = [], tags = [], testonly = False, visibility = None, **kwargs):
    """Compiled models as Java classes, with a function for each method, and a native library.

    `java_binary` and other rules of rules_java can name the target in `deps`. The workspace selects the Java
    rules with `executorch.java` in MODULE.bazel (docs/how_to/use_from_java.md).

    The target consists of:

    - `<name>_cc`, a C library with the runtime, the program, and only the kernels and backends that it uses;
    - `<name>_jni`, the shared library of it, which exports only `JNI_OnLoad`;
    - `<name>_natives`, a jar with the shared library for the target platform, or for `platforms`;
    - the classes, in Java 11 bytecode.

    Args:
      name: Name of the library.
      package: Java package of the classes, such as `com.example.app`.
      model: An `executorch_model` or `executorch_import`. Either this or `models` is mandatory.
      class_name: Name of the model's class, such as `Classifier`. Default: the model's `prefix` in Pascal case, without the package.
      models: Several models in one native library: the names of their classes by the labels of the models.
      borrow: Files that `load` takes from the caller: `program`, `weights` (of models with `external_weights`). The native library
        contains the others.
      platforms: Platforms whose native libraries the jar contains. Default: the target platform only.
      javacopts: Flags of the Java compiler.
      tags: Tags of all targets.
      testonly: Whether only tests can use the targets.
      visibility: Visibility of the library, its shared library and its jar.
      **kwargs: Other attributes of `executorch_cc_library`, such as `features` and `target_compatible_with`.
    """
    check_java_rules("executorch_java_library", name)
    if bool(model) == bool(models):
        fail("executorch_java_library(name = '%s'): set either 'model' or 'models'" % name)
    if models and class_name:
        fail("executorch_java_library(name = '%s'): 'class_name' is for one model; 'models' has the names of the classes" % name)
    classes = models or {model: class_name or "-"}
    common = {"tags": tags, "testonly": testonly}
    executorch_cc_library(
        name = name + "_cc",
        borrow = borrow,
        models = classes.keys(),
        visibility = ["//visibility:private"],
        **dict(kwargs, **common)
    )
    java_source(
        name = name + "_source",
        borrow = borrow,
        library = name + "_cc",
        library_name = name,
        models = classes,
        package = package,
        visibility = ["//visibility:private"],
        **common
    )
    native.filegroup(
        name = name + "_jni_source",
        srcs = [name + "_source"],
        output_group = "c",
        visibility = ["//visibility:private"],
        **common
    )
    natives = native_library(
        name = name,
        srcs = [name + "_jni_source"],
        deps = [name + "_cc"],
        library_name = name,
        platforms = platforms,
        visibility = visibility,
        common = common,
    )
    java_library(
        name = name,
        srcs = [name + "_source"],
        javacopts = JAVACOPTS + javacopts,
        runtime_deps = [natives],
        visibility = visibility,
        exports = [Label("//bindings/java:executorch")],
        deps = [
            Label("//bindings/java:annotations"),
            Label("//bindings/java:executorch"),
        ],
        **common
    )
    classes_of_library(name, visibility, common)

def executorch_java_runtime(name, models = [], platforms = [], tags = [], testonly = False, visibility = None, **kwargs):
    """The native library of `org.executorch.bazel.Program`, which runs programs that are not known when the app is built.

    It contains all kernels and the backends cpu and xnnpack, or only those that some models use. A program can depend on one
    such library, and on any number of `executorch_java_library`. The targets are `<name>_jni` and `<name>_natives`, as those
    of `executorch_java_library`.

    Args:
      name: Name of the library.
      models: `executorch_model` targets. The library then contains only the kernels, ops and backends that these models use, but
        not the models. Default: it contains all.
      platforms: Platforms whose native libraries the jar contains. Default: the target platform only.
      tags: Tags of all targets.
      testonly: Whether only tests can use the targets.
      visibility: Visibility of the library, its shared library and its jar.
      **kwargs: Other attributes of `executorch_cc_library`, if there are `models`.
    """
    check_java_rules("executorch_java_runtime", name)
    common = {"tags": tags, "testonly": testonly}
    if models:
        executorch_cc_library(
            name = name + "_cc",
            borrow = [
                "program",
                "weights",
            ],
            linked_registry = True,
            models = models,
            visibility = ["//visibility:private"],
            **dict(kwargs, **common)
        )
    natives = native_library(
        name = name,
        srcs = [],
        deps = [
            # First, because the other defines the registry that it uses.
            Label("//bindings/java:program"),
            name + "_cc" if models else Label("//bindings/java:all_kernels"),
        ],
        library_name = "executorch_program",
        platforms = platforms,
        visibility = visibility,
        common = common,
    )
    java_library(
        name = name,
        runtime_deps = [natives],
        visibility = visibility,
        exports = [Label("//bindings/java:executorch")],
        **common
    )
    classes_of_library(name, visibility, common)

def executorch_aar(name, library, package, min_sdk = 33, **kwargs):
    """The Android library (AAR) of a library of this file, with a native library for each of its `platforms`.

    It contains `classes.jar` with the classes of the models and of `org.executorch.bazel`, `jni/<abi>/`, the manifest, and rules
    for ProGuard. It has been tested without Android: docs/how_to/package_an_aar.md.

    Args:
      name: Name of the target; its file is `<name>.aar`.
      library: An `executorch_java_library`, `executorch_llm_java_library` or `executorch_java_runtime` whose `platforms` have the constraint `@platforms//os:android`.
      package: Android package of the manifest, such as `com.example.net`.
      min_sdk: The oldest API level. The classes use functions of API level 33.
      **kwargs: Attributes that every rule has.
    """
    library_label = native.package_relative_label(library)
    aar(
        name = name,
        classes = [library_label.relative(":" + library_label.name + "_classes")],
        min_sdk = min_sdk,
        natives = library_label.relative(":" + library_label.name + "_natives"),
        package = package,
        **kwargs
    )
