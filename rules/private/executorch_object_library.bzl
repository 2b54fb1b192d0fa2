"""executorch_object_library: C sources of kernels or of a backend's runtime, numbered in error codes."""

load("//tools/build_defs:object_library.bzl", "OBJECT_LIBRARY_ATTRS", "OBJECT_LIBRARY_RULE")

_DOC = """A `cc_library` of C sources for kernels or for a backend's runtime.

The error codes of builds with `--@rules_executorch//runtime:messages=codes` name each source; in a plain `cc_library`, they
do not. To decode one, pass your workspace to `tools/message_of_code.py --root`. One action compiles up to sixteen sources."""

executorch_object_library = rule(
    attrs = OBJECT_LIBRARY_ATTRS,
    doc = _DOC,
    **OBJECT_LIBRARY_RULE
)
