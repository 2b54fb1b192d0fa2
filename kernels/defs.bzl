"""How kernels are compiled and tested."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//rules/project:object_library.bzl", "object_library")

# Kernels are loops over numbers: they are optimised and vectorised in every compilation mode. Products and sums may be
# contracted where the processor has such an instruction; nothing else departs from IEEE 754.
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

def numeric_library(name, **kwargs):
    """The package's C sources, compiled as kernels are.

    Args:
      name: name of the library.
      **kwargs: hdrs, linkopts, deps, and what every rule has.
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
        ),
        copts = KERNEL_COPTS,
        further_copts = "//kernels:copts",
        **kwargs
    )

def kernel_library(name, deps = []):
    """An archive of the package's kernels: of its objects, the linker takes those that a kernel table names.

    Args:
      name: name of the library.
      deps: what they use besides the author's helpers.
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
    """A test of each `*_test.c` of the package, named after it.

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
