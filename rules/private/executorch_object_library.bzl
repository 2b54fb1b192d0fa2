"""executorch_object_library: C sources of kernels or of a backend's runtime, numbered in error codes."""

load("//tools/build_defs:object_library.bzl", "OBJECT_LIBRARY_ATTRS", "OBJECT_LIBRARY_RULE")

_DOC = """A `cc_library` of C sources for kernels or for a backend's runtime.

In builds with `--@rules_executorch//runtime:messages=codes`, error codes identify the source file, which the codes of a
plain `cc_library` do not. To decode a code, pass your workspace to `tools/message_of_code.py --root`. One action compiles up
to sixteen sources."""

executorch_object_library = rule(
    attrs = OBJECT_LIBRARY_ATTRS,
    doc = _DOC,
    **OBJECT_LIBRARY_RULE
)
