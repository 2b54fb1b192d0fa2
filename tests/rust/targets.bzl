"""The targets of this package, for workspaces that have selected Rust rules."""

load("@executorch_rust_rules//:defs.bzl", "IS_SELECTED", "rust_binary", "rust_test")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_python//python:py_library.bzl", "py_library")
load("//bindings/rust:defs.bzl", "executorch_rust_library")
load("//rules:defs.bzl", "executorch_import", "executorch_model")
load("//tools/build_defs:python_launcher.bzl", "python_test")

_TAGS = ["manual"]

# Entry point: its config.
_NETWORKS = {
    "borrowed_inputs": {"memory_planning": {"alloc_graph_input": False}},
    "noise": {},
    "odd_names": {},
    "two_dynamic_sizes": {},
}

# Other models: target of the program, and attributes of the crate.
_CRATES = {
    "borrowed_inputs_rs": dict(model = ":borrowed_inputs_pte"),
    "constants": dict(
        model = ":tut11",
        type_name = "Constants",
    ),
    "convolutions_rs": dict(model = "//tests/feature_models:convolutions_pte"),
    "external": dict(
        borrow = [
            "program",
            "weights",
        ],
        model = "//tests/feature_models/external_weights:one_row_pte",
        type_name = "OneRow",
    ),
    "integer_inputs_rs": dict(model = "//tests/feature_models:integer_inputs_pte"),
    "kv_cache_decoder_rs": dict(model = "//tests/feature_models:kv_cache_decoder_pte"),
    "noise_rs": dict(model = ":noise_pte"),
    "odd_names_rs": dict(model = ":odd_names_pte"),
    "one_row_no_std": dict(
        model = "//tests/feature_models/external_weights:one_row_pte",
        std = False,
    ),
    "one_row_rs": dict(model = "//tests/feature_models/external_weights:one_row_pte"),
    "two-dynamic-sizes": dict(
        crate_name = "two_dynamic_sizes",
        model = ":two_dynamic_sizes_pte",
    ),
}

_EXTERNAL = "//tests/feature_models/external_weights:one_row_pte"

# buildifier: disable=unnamed-macro
def rust_targets():
    """Declares the targets."""
    if not IS_SELECTED:
        return
    py_library(
        name = "networks",
        srcs = ["networks.py"],
        tags = _TAGS,
    )
    for name, config in _NETWORKS.items():
        executorch_model(
            name = name + "_pte",
            config = config,
            entry_point = name,
            module = ":networks",
            tags = _TAGS,
        )
    executorch_import(
        name = "tut11",
        testonly = True,
        pte = "//tests/fixtures:tut11_constant_methods.pte",
        tags = _TAGS,
    )
    for name, attributes in _CRATES.items():
        executorch_rust_library(
            name = name,
            testonly = True,
            tags = _TAGS,
            **attributes
        )
    rust_test(
        name = "crate_test",
        size = "small",
        crate_features = ["std"],
        crate_name = "executorch",
        crate_root = "//bindings/rust:executorch/lib.rs",
        srcs = ["//bindings/rust:sources"],
        tags = _TAGS,
        deps = [
            "//bindings/rust:pool_size",
            "//runtime",
            "//runtime/extension:hosted_method",
        ],
    )
    cc_library(
        name = "layout",
        testonly = True,
        srcs = ["layout.c"],
        copts = [
            "-std=c11",
            "-Wall",
            "-Wextra",
        ],
        tags = _TAGS,
        deps = ["//runtime/extension:hosted_method"],
    )
    rust_test(
        name = "layout_test",
        size = "small",
        srcs = ["layout_test.rs"],
        edition = "2021",
        tags = _TAGS,
        deps = [
            ":layout",
            "//bindings/rust:executorch",
        ],
    )
    rust_test(
        name = "misuse_test",
        size = "small",
        srcs = ["misuse_test.rs"],
        data = [
            _EXTERNAL,
            _EXTERNAL + ".ptd",
            ":odd_names_pte",
        ],
        edition = "2021",
        env = {
            "OTHER_PROGRAM": "$(rootpath :odd_names_pte)",
            "PROGRAM": "$(rootpath %s)" % _EXTERNAL,
            "WEIGHTS": "$(rootpath %s.ptd)" % _EXTERNAL,
        },
        tags = _TAGS,
        deps = [
            ":external",
            ":integer_inputs_rs",
            ":noise_rs",
            ":one_row_rs",
            ":two-dynamic-sizes",
            "//bindings/rust:executorch",
        ],
    )
    rust_test(
        name = "options_test",
        size = "small",
        srcs = ["options_test.rs"],
        edition = "2021",
        tags = _TAGS,
        deps = [
            ":borrowed_inputs_rs",
            ":convolutions_rs",
            ":integer_inputs_rs",
            "//bindings/rust:executorch",
        ],
    )
    rust_test(
        name = "no_std_test",
        size = "small",
        srcs = ["no_std_test.rs"],
        edition = "2021",
        tags = _TAGS,
        deps = [
            ":one_row_no_std",
            "//bindings/rust:executorch_no_std",
        ],
    )
    rust_binary(
        name = "runner",
        testonly = True,
        srcs = ["runner.rs"],
        edition = "2021",
        tags = _TAGS,
        deps = [
            ":constants",
            ":external",
            ":integer_inputs_rs",
            ":kv_cache_decoder_rs",
            ":odd_names_rs",
            ":two-dynamic-sizes",
            "//bindings/rust:executorch",
        ],
    )
    python_test(
        name = "results_test",
        size = "medium",
        srcs = ["results_test.py"],
        data = [
            _EXTERNAL,
            _EXTERNAL + ".ptd",
            ":odd_names_pte",
            ":runner",
            ":two_dynamic_sizes_pte",
            "//bindings/python/executorch_runtime:sources",
            "//exir:sources",
            "//tests:package_file",
            "//tests/feature_models:integer_inputs_pte",
            "//tests/feature_models:kv_cache_decoder_pte",
            "//tests/fixtures",
            "//tests/fixtures:reader",
        ],
        env = {
            "EXTERNAL": "$(rootpath %s)" % _EXTERNAL,
            "EXTERNAL_WEIGHTS": "$(rootpath %s.ptd)" % _EXTERNAL,
            "INTEGER_INPUTS": "$(rootpath //tests/feature_models:integer_inputs_pte)",
            "KV_CACHE_DECODER": "$(rootpath //tests/feature_models:kv_cache_decoder_pte)",
            "ODD_NAMES": "$(rootpath :odd_names_pte)",
            "RUNNER": "$(rootpath :runner)",
            "TWO_DYNAMIC_SIZES": "$(rootpath :two_dynamic_sizes_pte)",
        },
        tags = _TAGS,
    )
