"""The Python rules as Bazel 4 has them built in."""

load(":py_info.bzl", _PyInfo = "PyInfo")

PyInfo = _PyInfo
py_binary = native.py_binary
py_library = native.py_library
py_test = native.py_test
