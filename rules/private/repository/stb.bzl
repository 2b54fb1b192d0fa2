"""stb_image, a one-header JPEG and PNG reader, built with the project's toolchain."""

load("//rules/private/repository:debian_pool.bzl", "debian_mirror")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES")

_SHA256 = "91f435e0fc6a620018b878b9859c74dff60d28046f87e649191ad6f35a98c722"
_UPSTREAM = "https://raw.githubusercontent.com/nothings/stb/8b5f1f37b5b75829fc72d38e7b5d4bcbf8a26d55/stb_image.h"

# Debian's archive of all stb headers.
_ARCHIVE = "0.0~git20220908.8b5f1f3+ds"
_ARCHIVE_SHA256 = "6949c8ff9f86d982cff1b384f1301a731cbaf3b3fa4d1728c7b48a02386d31d8"
_MIRROR = "{mirror}/pool/main/libs/libstb/libstb_{archive}.orig.tar.xz"

_ATTRS = {
    "_build_file": attr.label(default = Label("//third_party/stb:stb.BUILD")),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

def _download_from_mirror(rctx):
    mirror = debian_mirror(rctx)
    return mirror and rctx.download_and_extract(
        url = _MIRROR.format(mirror = mirror, archive = _ARCHIVE),
        sha256 = _ARCHIVE_SHA256,
        stripPrefix = "libstb-" + _ARCHIVE,
        type = "tar.xz",
        allow_fail = True,
    ).success

def _stb_impl(rctx):
    if not _download_from_mirror(rctx):
        rctx.download(url = _UPSTREAM, output = "stb_image.h", sha256 = _SHA256)
    rctx.symlink(rctx.attr._build_file, "BUILD.bazel")

stb = repository_rule(
    implementation = _stb_impl,
    attrs = _ATTRS,
    doc = "stb_image.h, pinned by hash, from the machine's Debian mirror or from upstream.",
)
