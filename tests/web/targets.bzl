"""The targets of this package."""

load("//bindings/web:defs.bzl", "executorch_wasm_library")
load("//rules/private:bazel_features.bzl", "SUPPORTS_WASM")  # buildifier: disable=bzl-visibility
load("//tests/web:node_test.bzl", "node_test")
load("//tools/build_defs:python_launcher.bzl", "python_test")

_TAGS = ["manual"]

_EXTERNAL = "//tests/feature_models/external_weights:one_row_pte"

# Models of the module by the names of their classes.
_MODELS = {
    "BorrowedInputs": "//tests/rust:borrowed_inputs_pte",
    "EncodeDecode": "//tests/feature_models:encode_decode_pte",
    "IntegerInputs": "//tests/feature_models:integer_inputs_pte",
    "KvCacheDecoder": "//tests/feature_models:kv_cache_decoder_pte",
    "Noise": "//tests/rust:noise_pte",
    "OddNames": "//tests/rust:odd_names_pte",
    "OneRow": _EXTERNAL,
    "TwoDynamicSizes": "//tests/rust:two_dynamic_sizes_pte",
}

# Tests by size. Each has the main module `<name>.mjs`.
_TESTS = {
    "calls_test": "small",
    "loading_test": "small",
    "memory_test": "medium",
    "misuse_test": "small",
    "program_test": "small",
}

_TSC = "@executorch_typescript//:package/lib/tsc.js"

# The strictest options.
_TSC_FLAGS = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--preserveSymlinks",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2022,dom,esnext.disposable",
    "--allowJs",
    "--checkJs",
]

def _libraries():
    executorch_wasm_library(
        name = "nets",
        testonly = True,
        models = {label: name for name, label in _MODELS.items()},
        npm_license = "Apache-2.0",
        npm_name = "@acme/nets",
        npm_version = "1.2.3",
        tags = _TAGS,
    )
    executorch_wasm_library(
        name = "embedded",
        testonly = True,
        class_name = "OneRow",
        embed = True,
        model = _EXTERNAL,
        tags = _TAGS,
        variants = ["plain"],
    )
    executorch_wasm_library(
        name = "mobilenet",
        testonly = True,
        model = "//models:mobilenet_cpu_pte",
        tags = _TAGS,
    )

# buildifier: disable=unnamed-macro
def web_targets():
    """Declares the targets."""
    if not SUPPORTS_WASM:
        return
    _libraries()
    for name, size in _TESTS.items():
        node_test(
            name = name,
            size = size,
            data = [
                "helpers.mjs",
                ":embedded",
                ":nets",
                "//docs:pages",
            ],
            main = name + ".mjs",
            tags = _TAGS,
        )
    node_test(
        name = "fuzz_test",
        size = "medium",
        arguments = ["20"],
        data = [":nets"],
        main = "fuzz.mjs",
        tags = _TAGS,
    )
    node_test(
        name = "types_test",
        size = "medium",
        arguments = _TSC_FLAGS + [
            "tests/web/types.mts",
            "tests/languages/driver_main.mjs",
            "tests/languages/node.d.ts",
        ],
        data = [
            "types.mts",
            ":embedded",
            ":nets",
            "//tests/languages:web_driver_files",
            "@executorch_typescript//:files",
        ],
        main = _TSC,
        tags = _TAGS,
    )
    python_test(
        name = "size_test",
        size = "small",
        srcs = ["size_test.py"],
        data = [":mobilenet"],
        tags = _TAGS,
    )
