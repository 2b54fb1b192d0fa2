"""How kernels are compiled."""

# Kernels are loops over numbers: they are optimised and vectorised in every compilation mode. Products and sums may be
# contracted where the processor has such an instruction; nothing else departs from IEEE 754.
KERNEL_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Werror",
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
    "-Werror",
]
