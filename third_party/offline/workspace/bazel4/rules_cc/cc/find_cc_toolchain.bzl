"""The C++ toolchain of a rule, by the names that rules_cc has for it."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", _find_cpp_toolchain = "find_cpp_toolchain")

find_cc_toolchain = _find_cpp_toolchain
find_cpp_toolchain = _find_cpp_toolchain

def use_cc_toolchain(mandatory = True):
    """Returns the toolchain types for a rule's `toolchains`; Bazel 4 knows mandatory ones only."""
    if not mandatory:
        fail("Bazel 4 has no optional toolchains")
    return ["@bazel_tools//tools/cpp:toolchain_type"]
