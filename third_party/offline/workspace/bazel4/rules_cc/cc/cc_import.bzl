"""cc_import as Bazel 4 has it built in."""

cc_import = native.cc_import
