"""cc_library as Bazel 4 has it built in."""

cc_library = native.cc_library
