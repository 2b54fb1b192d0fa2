"""CcInfo as Bazel 4 has it built in."""

load(":builtins.bzl", "builtin_CcInfo")

CcInfo = builtin_CcInfo
