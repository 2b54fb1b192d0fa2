"""The targets of this package: all models of //tests in all languages."""

load("@executorch_java_rules//:defs.bzl", "java_binary", HAS_JAVA = "IS_SELECTED")
load("@executorch_rust_rules//:defs.bzl", "IS_SELECTED", "rust_binary", "rust_library")
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("//bindings/java:defs.bzl", "executorch_java_library", "executorch_java_runtime")
load("//bindings/rust:defs.bzl", "executorch_rust_library")
load("//bindings/web:defs.bzl", "executorch_wasm_library")
load("//rules:defs.bzl", "executorch_cc_library")
load("//rules/private:bazel_features.bzl", "SUPPORTS_WASM")  # buildifier: disable=bzl-visibility
load("//rules/private:executorch_parity_test.bzl", "replay_data")  # buildifier: disable=bzl-visibility
load("//tools/build_defs:python_launcher.bzl", "python_test")
load(":driver_sources.bzl", "driver_sources")

_TAGS = ["manual"]

# Package below //tests: names of models, without "_pte". The others are models that
# do not compile (//tests/analysis), that must not load (other_weights), or whose backend the Python runtime does not contain
# (delegated_sum, shared_bias).
_MODELS = {
    "feature_models": [
        "attention_masks",
        "bfloat16_module",
        "block_minima",
        "control_flow",
        "convolutions",
        "cpu_sum",
        "data_dependent_sizes",
        "decoder_cpu",
        "decoder_portable",
        "delegated",
        "dynamic_batch",
        "empty_tensors",
        "encode_decode",
        "encoder_cpu",
        "encoder_portable",
        "float16_kv_cache",
        "float16_scalars",
        "float16_weights",
        "image_to_image",
        "int8_winograd",
        "integer_inputs",
        "integer_inputs_cpu",
        "kv_cache_decoder",
        "layers_in_loops",
        "layers_in_loops_cpu",
        "loops",
        "loops_cpu",
        "lowering_examples",
        "mixture_of_experts_bfloat16",
        "mixture_of_experts_float32",
        "quantized_cnn",
        "quantized_cnn_cpu",
        "quantized_lut",
        "quantized_lut_cpu",
        "quantized_mlp",
        "quantized_mlp_cpu",
        "random_sampling",
        "recurrent",
        "recurrent_cpu",
        "running_mean",
        "running_sum",
        "segmentation",
        "shared_sum",
        "strassen",
        "text_encoder",
        "tied_embedding",
        "tiled_winograd",
        "two_arenas",
        "volumes",
    ],
    "feature_models/external_weights": [
        "four_rows",
        "four_rows_cpu",
        "one_row",
    ],
    "parity": [
        "broken",
        "broken_cpu",
        "model",
        "model_cpu",
        "rows",
    ],
    "quantized": [
        "efficientnet",
        "efficientnet_int8",
        "efficientnet_int8_cpu",
        "encoder",
        "encoder_int4_dynamic",
        "encoder_int4_dynamic_cpu",
        "encoder_int4_weight_only",
        "encoder_int4_weight_only_cpu",
        "encoder_int8_dynamic",
        "encoder_int8_dynamic_cpu",
        "encoder_int8_weight_only",
        "encoder_int8_weight_only_cpu",
        "mobilenet_int8",
        "mobilenet_int8_cpu",
    ],
    "rust": [
        "noise",
        "odd_names",
        "two_dynamic_sizes",
    ],
}

# Programs that another exporter wrote, without recorded calls.
_IMPORTS = {
    "rust": ["tut11"],
    "xnnpack_programs": [
        "doubled",
        "product",
        "stripes",
        "tiles",
    ],
}

# Models with calls of random sizes, in addition to those that are recorded.
_DYNAMIC = [
    "feature_models_attention_masks",
    "feature_models_dynamic_batch",
    "feature_models_integer_inputs",
    "feature_models_integer_inputs_cpu",
    "feature_models_loops",
    "feature_models_recurrent_cpu",
    "feature_models_running_mean",
    "feature_models_segmentation",
    "feature_models_text_encoder",
    "parity_rows",
    "rust_two_dynamic_sizes",
]

# Models whose program and weights are not embedded.
_BORROWING = ["feature_models_external_weights_one_row"]

# Models with the prefix of another, which cannot be in the same library.
_SAME_PREFIX = ["feature_models_shared_sum"]

def _labels(packages, suffix):
    """Returns the labels of models, by their unique names."""
    return {
        package.replace("/", "_") + "_" + name: "//tests/%s:%s%s" % (package, name, suffix)
        for package, names in packages.items()
        for name in names
    }

def _type_name(name):
    return name.title().replace("_", "")

def _library(name, model):
    """Declares the C library of a model, and its crate if the workspace has Rust rules."""
    type_name = _type_name(name)
    borrow = ["program", "weights"] if name in _BORROWING else []
    if IS_SELECTED:
        executorch_rust_library(
            name = name,
            testonly = True,
            borrow = borrow,
            cpp_class = type_name,
            model = model,
            tags = _TAGS,
            type_name = type_name,
        )
    else:
        executorch_cc_library(
            name = name + "_cc",
            testonly = True,
            borrow = borrow,
            cpp_class = type_name,
            model = model,
            tags = _TAGS,
        )

def _java_driver(models):
    """Declares the driver in Java, with one native library for most models."""
    groups = {"java_borrowing": {}, "java_models": {}, "java_same_prefix": {}}
    for name, label in models.items():
        group = "borrowing" if name in _BORROWING else ("same_prefix" if name in _SAME_PREFIX else "models")
        groups["java_" + group][label] = _type_name(name)
    for name, classes in groups.items():
        executorch_java_library(
            name = name,
            testonly = True,
            borrow = ["program", "weights"] if name == "java_borrowing" else [],
            models = classes,
            package = "tests.languages",
            tags = _TAGS,
        )
    java_binary(
        name = "driver_java",
        testonly = True,
        srcs = [
            "DriverIo.java",
            "driver_java_source",
        ],
        jvm_flags = ["-Xcheck:jni"],
        main_class = "tests.languages.DriverMain",
        tags = _TAGS,
        deps = groups.keys() + ["//bindings/java:executorch"],
    )
    executorch_java_runtime(
        name = "java_runtime",
        testonly = True,
        tags = _TAGS,
    )
    java_binary(
        name = "driver_java_program",
        testonly = True,
        srcs = [
            "DriverIo.java",
            "DriverProgram.java",
        ],
        jvm_flags = ["-Xcheck:jni"],
        main_class = "tests.languages.DriverProgram",
        tags = _TAGS,
        deps = [
            "java_runtime",
            "//bindings/java:executorch",
        ],
    )

def _drivers(models):
    """Declares the drivers of models, and returns the environment variables with their paths."""
    names = models.keys()
    for group in ["c", "cpp", "java", "rust"]:
        native.filegroup(
            name = "driver_%s_source" % group,
            testonly = True,
            srcs = [":models"],
            output_group = group,
            tags = _TAGS,
        )
    for language, extra in [("c", []), ("cpp", ["driver.hpp"])]:
        cc_binary(
            name = "driver_" + language,
            testonly = True,
            srcs = ["driver_%s_source" % language, "driver.h"] + extra,
            copts = ["-Wall", "-Wextra"] + (["-std=c11"] if language == "c" else ["-std=c++17"]),
            tags = _TAGS,
            deps = [name + "_cc" for name in names] + ["//bindings/cc"],
        )
    languages = ["C", "CPP"]
    if HAS_JAVA:
        _java_driver(models)
        languages += ["JAVA", "JAVA_PROGRAM"]
    if not IS_SELECTED:
        return languages
    rust_library(
        name = "driver_io",
        testonly = True,
        srcs = ["driver_io.rs"],
        edition = "2021",
        tags = _TAGS,
        deps = ["//bindings/rust:executorch"],
    )
    rust_binary(
        name = "driver_rust",
        testonly = True,
        srcs = ["driver_rust_source"],
        edition = "2021",
        tags = _TAGS,
        deps = names + [
            "driver_io",
            "//bindings/rust:executorch",
        ],
    )
    return languages + ["RUST"]

def _web(models):
    """Declares the driver in JavaScript, and its test, which needs Node.

    Only one variant, because kernels take most of the time to build. Its results have the bits of plain C.
    """
    groups = {"web_models": {}, "web_same_prefix": {}}
    for name, label in models.items():
        groups["web_same_prefix" if name in _SAME_PREFIX else "web_models"][label] = _type_name(name)
    for name, classes in groups.items():
        executorch_wasm_library(
            name = name,
            testonly = True,
            models = classes,
            tags = _TAGS,
            variants = ["simd"],
        )
        native.filegroup(
            name = name + "_generated",
            testonly = True,
            srcs = [name],
            output_group = "js",
            tags = _TAGS,
        )
    native.filegroup(
        name = "driver_web_source",
        testonly = True,
        srcs = [":models"],
        output_group = "web",
        tags = _TAGS,
    )
    native.filegroup(
        name = "web_driver_files",
        testonly = True,
        srcs = [
            "DriverIo.mjs",
            "driver_web_source",
            "node.d.ts",
        ] + [name + "_generated" for name in groups],
        tags = _TAGS,
        visibility = ["//tests:__subpackages__"],
    )
    python_test(
        name = "web_results_test",
        size = "large",
        srcs = ["web_results_test.py"],
        data = [
            ":driver_web_source",
            ":models",
            ":python_sources",
            ":web_driver_files",
            ":web_models",
            ":web_same_prefix",
            "//bindings/python/executorch_runtime:sources",
            "//exir:sources",
            "//rules/interface:sources",
            "//tests:package_file",
        ],
        env = {
            "DRIVER": "$(rootpath :driver_web_source)",
            "INDEX": "$(rootpath :models)",
        },
        tags = _TAGS,
    )

def _misuse():
    """Declares programs that print the messages of misuse, and their test."""
    names = ["feature_models_external_weights_one_row", "feature_models_integer_inputs"]
    libraries = [name + "_cc" for name in names]
    for language, source in [("c", "misuse.c"), ("cpp", "misuse.cc")]:
        cc_binary(
            name = "misuse_" + language,
            testonly = True,
            srcs = [source],
            copts = ["-Wall", "-Wextra"] + (["-std=c11"] if language == "c" else ["-std=c++17"]),
            tags = _TAGS,
            deps = libraries + ["//bindings/cc"],
        )
    if IS_SELECTED:
        rust_binary(
            name = "misuse_rust",
            testonly = True,
            srcs = ["misuse.rs"],
            edition = "2021",
            tags = _TAGS,
            deps = names + ["//bindings/rust:executorch"],
        )
    if HAS_JAVA:
        java_binary(
            name = "misuse_java",
            testonly = True,
            srcs = ["Misuse.java"],
            main_class = "tests.languages.Misuse",
            tags = _TAGS,
            deps = [
                "java_borrowing",
                "java_models",
                "//bindings/java:executorch",
            ],
        )
    programs = ["misuse_c", "misuse_cpp"] + (["misuse_java"] if HAS_JAVA else []) + (["misuse_rust"] if IS_SELECTED else [])
    one_row = "//tests/feature_models/external_weights:one_row_pte"
    python_test(
        name = "misuse_test",
        size = "medium",
        srcs = ["misuse_test.py"],
        data = [
            one_row,
            one_row + ".ptd",
            "//bindings/cc:header_files",
            "//docs:pages",
            "//kernels:header_files",
            "//runtime:header_files",
            "//tests:package_file",
        ] + libraries + programs,
        env = dict(
            {program.upper(): "$(rootpath %s)" % program for program in programs},
            PROGRAM = "$(rootpath %s)" % one_row,
            WEIGHTS = "$(rootpath %s.ptd)" % one_row,
        ),
        tags = _TAGS,
    )

# buildifier: disable=unnamed-macro
def language_targets():
    """Declares the targets."""
    models = _labels(_MODELS, "_pte")
    imports = _labels(_IMPORTS, "")
    for name, label in dict(models, **imports).items():
        _library(name, label)
    for name, label in models.items():
        replay_data(
            name = name + "_calls",
            testonly = True,
            model = label,
            sweep = 3 if name in _DYNAMIC else 0,
            tags = _TAGS,
        )
    driver_sources(
        name = "models",
        testonly = True,
        srcs = [":generator"],
        same_prefix = _SAME_PREFIX,
        borrowing = _BORROWING,
        calls = {name + "_calls": name for name in models},
        models = {label: name for name, label in dict(models, **imports).items()},
        tags = _TAGS,
    )
    _misuse()
    if SUPPORTS_WASM:
        _web(dict(models, **imports))
    languages = _drivers(dict(models, **imports))
    drivers = {language: "driver_" + language.lower() for language in languages}
    python_test(
        name = "results_test",
        size = "large",
        srcs = ["results_test.py"],
        data = [
            ":models",
            ":python_sources",
            "//bindings/python/executorch_runtime:sources",
            "//docs:pages",
            "//exir:sources",
            "//rules/interface:sources",
            "//tests:package_file",
        ] + list(drivers.values()),
        env = dict(
            {language: "$(rootpath %s)" % driver for language, driver in drivers.items()},
            INDEX = "$(rootpath :models)",
        ),
        tags = _TAGS,
    )
