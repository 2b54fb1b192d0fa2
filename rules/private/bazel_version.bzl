"""The Bazel version, for arguments and rule sets that Bazel 4 does not have."""

# Detected by a feature, because Debian's builds do not report their version.
IS_BAZEL_4 = not hasattr(native, "package_relative_label")
