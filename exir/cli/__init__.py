"""The compiler as a program: one-shot, Bazel persistent worker, plain command line."""
