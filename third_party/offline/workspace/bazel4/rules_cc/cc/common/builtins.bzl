"""Bazel 4's built-in names under others: a file cannot define a name that it reads from the built-ins."""

builtin_CcInfo = CcInfo
builtin_cc_common = cc_common
