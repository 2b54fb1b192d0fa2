"""Macros that build the runtime and its tests."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//tools/build_defs:object_library.bzl", "object_library")

RUNTIME_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-O2",
]

def runtime_library(name, **kwargs):
    """Define a library of all C files of the package except its tests.

    Args:
      name: Name of the library.
      **kwargs: linkopts, deps, and the common attributes of rules.
    """
    object_library(
        name = name,
        srcs = native.glob(
            ["*.c"],
            exclude = ["*_test.c"],
        ),
        hdrs = native.glob(["*.h"]),
        copts = RUNTIME_COPTS,
        copts_flag = "//runtime:copts",
        **kwargs
    )

def runtime_tests(deps, data = []):
    """Define a cc_test for each `*_test.c` of the package, named after its file.

    Args:
      deps: The libraries under test.
      data: Files that the tests read.
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
