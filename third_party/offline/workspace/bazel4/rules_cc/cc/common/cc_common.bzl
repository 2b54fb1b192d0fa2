"""cc_common as Bazel 4 has it built in."""

load(":builtins.bzl", "builtin_cc_common")

cc_common = builtin_cc_common
