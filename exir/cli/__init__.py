"""The compiler as a program: single compilations and Bazel's persistent worker."""
