"""CcInfo as Bazel 4 has it built in."""

load(":builtins.bzl", "BuiltinCcInfo")

CcInfo = BuiltinCcInfo
