"""The benchmark of calls from Rust, for workspaces that have selected Rust rules."""

load("@executorch_rust_rules//:defs.bzl", "IS_SELECTED", "rust_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//bindings/rust:defs.bzl", "executorch_rust_library")

_TAGS = ["manual"]

# buildifier: disable=unnamed-macro
def rust_calls():
    """Declares //benchmarks:rust_calls."""
    if not IS_SELECTED:
        return
    executorch_rust_library(
        name = "add_rs",
        model = "//runtime/size:add",
        tags = _TAGS,
    )
    cc_library(
        name = "rust_calls_c",
        srcs = ["rust_calls.c"],
        copts = [
            "-std=c11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-pedantic",
        ],
        tags = _TAGS,
        deps = ["//runtime/size:add_cc"],
    )
    rust_binary(
        name = "rust_calls",
        srcs = ["rust_calls.rs"],
        edition = "2021",
        tags = _TAGS,
        deps = [
            ":add_rs",
            ":rust_calls_c",
        ],
    )
