"""Compile flags and build macros for kernels and their tests."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//tools/build_defs:object_library.bzl", "object_library")

# Kernels are numeric loops, so every compilation mode optimizes and vectorizes them. The only
# deviation from IEEE 754 is that a multiplication and an addition may be contracted (FMA).
KERNEL_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-O3",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fno-trapping-math",
]

TEST_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
]

def numeric_library(name, srcs = [], **kwargs):
    """Compiles the C sources of the package with the flags of kernels.

    Args:
      name: name of the library.
      srcs: generated sources, in addition to those in the package.
      **kwargs: hdrs, linkopts, deps, and attributes that all rules have.
    """
    object_library(
        name = name,
        srcs = native.glob(
            [
                "*.c",
                "*.h",
            ],
            allow_empty = True,
            exclude = ["*_test.c"],
        ) + srcs,
        copts = KERNEL_COPTS,
        copts_flag = "//kernels:copts",
        **kwargs
    )

def kernel_library(name, deps = []):
    """Declares an archive of the package's kernels.

    The linker includes only the objects of kernels that a kernel table references.

    Args:
      name: name of the library.
      deps: libraries that the kernels use, in addition to //kernels/author.
    """
    numeric_library(
        name = name,
        hdrs = native.glob(["*.h"], allow_empty = True),
        deps = deps + [
            "//kernels/author",
            "//runtime/core",
        ],
    )

def kernel_tests(deps):
    """Declares a test for each `*_test.c` of the package.

    Args:
      deps: libraries under test.
    """
    for source in native.glob(["*_test.c"], allow_empty = True):
        cc_test(
            name = source[:-len(".c")],
            size = "small",
            srcs = [source],
            copts = TEST_COPTS,
            deps = deps + ["@cmocka"],
        )
