"""The Java rules that Bazel 4's own packages load, as it has them built in."""

java_import = native.java_import
java_runtime = native.java_runtime
java_toolchain = native.java_toolchain
