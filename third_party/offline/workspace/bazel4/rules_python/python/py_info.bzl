"""PyInfo as Bazel 4 has it built in."""

load(":builtins.bzl", "builtin_PyInfo")

PyInfo = builtin_PyInfo
