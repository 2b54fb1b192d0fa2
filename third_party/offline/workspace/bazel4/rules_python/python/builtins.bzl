"""Bazel 4's built-in name under another: a file cannot define a name that it reads from the built-ins."""

BuiltinPyInfo = PyInfo
