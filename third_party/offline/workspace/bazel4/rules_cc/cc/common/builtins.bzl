"""Bazel 4's built-in names under others: a file cannot define a name that it reads from the built-ins."""

BuiltinCcInfo = CcInfo
builtin_cc_common = cc_common
