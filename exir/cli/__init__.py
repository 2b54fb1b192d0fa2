"""The compiler's command line: single compilations and Bazel's persistent worker."""
