"""py_binary as Bazel 4 has it built in."""

py_binary = native.py_binary
