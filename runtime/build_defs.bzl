"""How the runtime and its tests are built."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//rules/project:object_library.bzl", "object_library")

RUNTIME_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-O2",
]

def runtime_library(name, generated_hdrs = [], **kwargs):
    """One part of the runtime: all C files of the package but its tests.

    Args:
      name: name of the library.
      generated_hdrs: headers that are not in the package's folder.
      **kwargs: linkopts, deps, and what every rule has.
    """
    object_library(
        name = name,
        srcs = native.glob(
            ["*.c"],
            exclude = ["*_test.c"],
        ),
        hdrs = native.glob(["*.h"]) + generated_hdrs,
        copts = RUNTIME_COPTS,
        further_copts = "//runtime:copts",
        **kwargs
    )

def runtime_tests(deps, data = []):
    """A cc_test for each `*_test.c` of the package, named as its file.

    Args:
      deps: what they are tests of.
      data: files that they read.
    """
    for source in native.glob(["*_test.c"]):
        cc_test(
            name = source[:-len(".c")],
            size = "small",
            srcs = [source],
            copts = RUNTIME_COPTS,
            data = data,
            deps = deps + ["@cmocka"],
        )
