"""cc_test as Bazel 4 has it built in."""

cc_test = native.cc_test
