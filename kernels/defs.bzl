"""How kernels are compiled and tested."""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")

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

def kernel_library(name, deps = []):
    """An archive of the package's kernels: of its objects, the linker takes those that a kernel table names.

    Args:
      name: name of the cc_library.
      deps: what they use besides the author's helpers.
    """
    cc_library(
        name = name,
        srcs = native.glob(
            ["*.c"],
            exclude = ["*_test.c"],
        ),
        hdrs = native.glob(["*.h"], allow_empty = True),
        copts = KERNEL_COPTS,
        linkstatic = True,
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
