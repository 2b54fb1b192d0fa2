"""Libraries that are compiled once per instruction set, and the build setting that selects the sets."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/build_defs:object_library.bzl", "object_library")

# Only simd.h fuses operations. With contraction, results would depend on the compiler.
# _FORTIFY_SOURCE, which Bazel's toolchain defines with `-c opt`, keeps GCC from holding int8 tiles in
# registers: int8 networks took 1.6 to 2.4 times as long. With -O2, code is 4 KB smaller, but depthwise
# convolutions, int8 layers and 4-bit layers take 3 to 4 % longer with AVX2.
SIMD_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-O3",
    "-U_FORTIFY_SOURCE",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-tree-vectorize",
]

_ISA_COPTS = {
    "plain": [],
    "wasm_simd128": ["-msimd128"],
    "wasm_relaxed_simd": [
        "-msimd128",
        "-mrelaxed-simd",
    ],
    "wasm_relaxed_dot": [
        "-msimd128",
        "-mrelaxed-simd",
    ],
    "avx2": [
        "-mavx2",
        "-mfma",
        "-mf16c",
    ],
    "avxvnni": [
        "-mavx2",
        "-mfma",
        "-mf16c",
        "-mavxvnni",
    ],
    "avx512": [
        "-mavx512f",
        "-mavx512bw",
        "-mavx512dq",
        "-mavx512vl",
        "-mavx512vnni",
        "-mfma",
        "-mf16c",
        "-mprefer-vector-width=512",
    ],
    "neon": ["-march=armv8.2-a+dotprod+fp16"],
}

_ISAS = list(_ISA_COPTS)

# Instruction sets that differ from another one only in int8 dot products.
_INT8_PARTS = {
    "avxvnni": "avx2",
    "wasm_relaxed_dot": "wasm_relaxed_simd",
}

def _isa_setting_impl(ctx):
    values = ["auto"] + _ISAS
    if ctx.build_setting_value not in values:
        fail("%s: unknown value '%s'; use one of: %s" % (ctx.label, ctx.build_setting_value, ", ".join(values)))
    return []

cpu_isa_setting = rule(
    implementation = _isa_setting_impl,
    build_setting = config.string(flag = True),
    doc = "Instruction sets to link: auto (all sets of the target's architecture, selected at load), or one of them.",
)

def per_isa(lists):
    """Returns a select over the linked instruction sets.

    Args:
      lists: dict from the name of each instruction set to a list.
    Returns:
      a select. For `auto`, it concatenates the lists of all instruction sets of the target's
      architecture; otherwise, it yields the list of the chosen one.
    """
    choices = {"//backends/cpu/microkernels:only_" + isa: lists[isa] for isa in _ISAS}

    # The engine decides whether its relaxed dot products are exact, so a method selects one when it is loaded.
    choices["//backends/cpu/microkernels:only_wasm_relaxed_simd"] = lists["wasm_relaxed_simd"] + lists["wasm_relaxed_dot"]
    choices["//backends/cpu/microkernels:auto_x86_64"] = lists["plain"] + lists["avx2"] + lists["avxvnni"] + lists["avx512"]
    choices["//backends/cpu/microkernels:auto_aarch64"] = lists["plain"] + lists["neon"]
    conditions = {str(Label(label)): value for label, value in choices.items()}

    # `auto`, or another family's instruction set, on another architecture. It cannot have its own config_setting, because Bazel 4 would
    # consider it ambiguous with the settings above.
    conditions["//conditions:default"] = lists["plain"]
    return select(conditions)

def microkernel_library(name, srcs, int8_srcs, deps):
    """Defines a library with one archive of microkernels per linked instruction set.

    From each archive, the linker takes only the objects that ops call.

    Args:
      name: name of the library. Its archives are `name`_avx2 and so on.
      srcs: sources that use simd.h.
      int8_srcs: the sources with int8 dot products. Instruction sets of _INT8_PARTS compile only
        these. They may call other sources, but other sources must not call them.
      deps: libraries with the headers that the sources include.
    """
    for isa, copts in _ISA_COPTS.items():
        whole = _INT8_PARTS.get(isa)
        object_library(
            name = "%s_%s" % (name, isa),
            srcs = int8_srcs if whole else srcs,
            copts = SIMD_COPTS + copts + ["-DET_CPU_ISA_" + isa.upper()],
            copts_flag = "//backends/cpu/microkernels:copts",
            tags = ["manual"],  # compilers for other architectures reject the flags
            deps = deps + ([":%s_%s" % (name, whole)] if whole else []),
        )
    cc_library(
        name = name,
        deps = deps + per_isa({isa: [":%s_%s" % (name, isa)] for isa in _ISAS}),
    )
