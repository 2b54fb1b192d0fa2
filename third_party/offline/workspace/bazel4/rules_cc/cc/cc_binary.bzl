"""cc_binary as Bazel 4 has it built in."""

cc_binary = native.cc_binary
