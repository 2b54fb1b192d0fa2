"""cmocka, the C test library: one source file, built with the project's toolchain."""

load("//rules/private/repository:debian_pool.bzl", "debian_mirror")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES")

_VERSION = "1.1.7"
_SHA256 = "810570eb0b8d64804331f82b29ff47c790ce9cd6b163e98d47a4807047ecad82"
_UPSTREAM = "https://cmocka.org/files/1.1/cmocka-{version}.tar.xz"
_MIRROR = "{mirror}/pool/main/c/cmocka/cmocka_{version}.orig.tar.xz"

_PREAMBLE = """\
#include <stdint.h>
#define HAVE_UINTPTR_T 1
"""

_ATTRS = {
    "_build_file": attr.label(default = Label("//third_party/cmocka:cmocka.BUILD")),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

def _cmocka_impl(rctx):
    mirror = debian_mirror(rctx)
    urls = [_MIRROR.format(mirror = mirror, version = _VERSION)] if mirror else []
    rctx.download_and_extract(
        url = urls + [_UPSTREAM.format(version = _VERSION)],
        sha256 = _SHA256,
        stripPrefix = "cmocka-" + _VERSION,
        type = "tar.xz",
    )

    # The header's own definition of uintptr_t is wrong for most systems.
    rctx.file("include/cmocka.h", _PREAMBLE + rctx.read("include/cmocka.h"), executable = False)
    rctx.symlink(rctx.attr._build_file, "BUILD.bazel")

cmocka = repository_rule(
    implementation = _cmocka_impl,
    attrs = _ATTRS,
    doc = "cmocka's sources, pinned by hash, from the machine's Debian mirror or from upstream.",
)
