"""py_test as Bazel 4 has it built in."""

py_test = native.py_test
