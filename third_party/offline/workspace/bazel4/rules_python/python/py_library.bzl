"""py_library as Bazel 4 has it built in."""

py_library = native.py_library
