"""What the process must look like so that its output depends on the inputs alone."""

import logging
import os
import random
import sys
import warnings

# One thread: results do not depend on the number of cores, and the worker may fork.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

# Each of these libraries chooses its loops by the processor, and each loop rounds in its own way. Here all take those that every
# x86-64 processor runs (numpy's and OpenBLAS' names are those of the features and the core).
# What remains: torch's sqrt, asin, acos, atan and log, called by a model's own code, refine estimates (`rsqrtps`) that processors of
# different makers give differently. What the compiler itself computes avoids them (exir/graph/square_root.py).
_PLAIN_INSTRUCTIONS = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}

# numpy refuses to start with both.
_CONTRADICTED = "NPY_ENABLE_CPU_FEATURES"

# exp, log, pow, sin, … of the C library, by the names of its versions since 2.33 and of those before. Without AVX2 it computes them
# without FMA, too. FMA itself stays on for `fma`, which is exact with and without it, and six times slower without (torch draws
# normal numbers by it).
_C_LIBRARY = "GLIBC_TUNABLES"
_C_LIBRARY_PLAIN = "glibc.cpu.hwcaps=-AVX2,-FMA4,-AVX2_Usable,-FMA4_Usable"

SEED = 0


def pin_libraries() -> None:
    """Set what numeric libraries read when they are loaded. Call before torch is imported.

    The C library has read its part already: when that was another, the process starts anew, with the same command line.
    """
    os.environ.update(_ONE_THREAD | _PLAIN_INSTRUCTIONS)
    os.environ.pop(_CONTRADICTED, None)
    if os.environ.get(_C_LIBRARY) != _C_LIBRARY_PLAIN:
        os.environ[_C_LIBRARY] = _C_LIBRARY_PLAIN
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def pin_torch() -> None:
    """One thread, deterministic kernels, memory from `torch.empty` filled; no kernels that only some processors have.

    Torch's own warnings and logs, which tell of its insides, are dropped: what ends a compilation is raised besides.
    """
    import torch

    warnings.filterwarnings("ignore", module=r"torch(\.|$)")
    warnings.filterwarnings(
        "ignore", message=".*LeafSpec", category=FutureWarning
    )  # of copies of its trees, by `copyreg`
    torch._logging.set_logs(all=logging.CRITICAL)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.nnpack.set_flags(False)


def seed_everything() -> None:
    """Put every random number generator that a model may draw weights from to its fixed start."""
    import numpy
    import torch

    random.seed(SEED)
    numpy.random.seed(SEED)
    torch.manual_seed(SEED)
