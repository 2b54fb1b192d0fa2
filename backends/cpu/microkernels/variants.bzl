"""Libraries that are compiled once an instruction set, and the build setting that says for which."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/build_defs:object_library.bzl", "object_library")

# Only what simd.h says fuses: contraction would make bits depend on the compiler. Checked copies, which Bazel's toolchain asks for with
# `-c opt`, keep gcc from holding tiles of bytes in registers: int8 networks took 1.6 to 2.4 times as long. With -O2 code is 4 KB smaller,
# and depthwise convolutions, layers in bytes and those of 4 bits take 3 to 4 % longer with AVX2.
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

def _isa_setting_impl(ctx):
    values = ["auto"] + _ISAS
    if ctx.build_setting_value not in values:
        fail("%s: unknown value '%s'; use one of: %s" % (ctx.label, ctx.build_setting_value, ", ".join(values)))
    return []

cpu_isa_setting = rule(
    implementation = _isa_setting_impl,
    build_setting = config.string(flag = True),
    doc = "Which instruction sets are linked: auto (all of the target's processor, chosen at load), or one of them.",
)

def per_isa(lists):
    """A select over the instruction sets that are linked.

    Args:
      lists: dict from each instruction set's name to a list.
    Returns:
      for `auto` the lists of all that the target's processor may have, else that of the one chosen.
    """
    choices = {"//backends/cpu/microkernels:only_" + isa: lists[isa] for isa in _ISAS}
    choices["//backends/cpu/microkernels:auto_x86_64"] = lists["plain"] + lists["avx2"] + lists["avxvnni"] + lists["avx512"]
    choices["//backends/cpu/microkernels:auto_aarch64"] = lists["plain"] + lists["neon"]
    conditions = {str(Label(label)): value for label, value in choices.items()}

    # `auto` on another processor. A setting of its own for it would clash with those above: to Bazel 4, they are no more special.
    conditions["//conditions:default"] = lists["plain"]
    return select(conditions)

def microkernel_library(name, srcs, multiplies_bytes, deps):
    """The archives of loops, one for each instruction set that is linked: of an archive's objects, the linker takes those that a step calls.

    Args:
      name: of the library; `name`_avx2 and so on are the archives.
      srcs: sources written with simd.h.
      multiplies_bytes: those that AVX-VNNI has variants of, not those of AVX2. They call others, and no other calls them.
      deps: the headers that sources are written with.
    """
    for isa, copts in _ISA_COPTS.items():
        is_part = isa == "avxvnni"
        object_library(
            name = "%s_%s" % (name, isa),
            srcs = multiplies_bytes if is_part else srcs,
            copts = SIMD_COPTS + copts + ["-DET_CPU_ISA_" + isa.upper()],
            copts_flag = "//backends/cpu/microkernels:copts",
            tags = ["manual"],  # a compiler for another processor refuses the flags
            deps = deps + ([":%s_avx2" % name] if is_part else []),
        )
    cc_library(
        name = name,
        deps = deps + per_isa({isa: [":%s_%s" % (name, isa)] for isa in _ISAS}),
    )
