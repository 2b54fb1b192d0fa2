"""PyInfo as Bazel 4 has it built in."""

load(":builtins.bzl", "BuiltinPyInfo")

PyInfo = BuiltinPyInfo
