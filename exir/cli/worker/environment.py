"""Pin the process environment, so that outputs depend only on the inputs."""

import logging
import os
import random
import sys
import warnings

# With one thread, results do not depend on the number of cores, and the worker can fork.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

# Each of these libraries selects loops by the processor, and loops round differently. These
# settings select loops that every x86-64 processor runs. NumPy is configured by feature names,
# OpenBLAS by a core name.
# Not covered are torch's sqrt, asin, acos, atan and log in the model's code: they refine estimates
# (`rsqrtps`) that differ between processor vendors. The compiler's own computations avoid these
# (exir/graph/exact.py).
_PLAIN_INSTRUCTIONS = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}

# NumPy does not start if both variables are set.
_CONTRADICTED = "NPY_ENABLE_CPU_FEATURES"

# The C library's exp, log, pow, sin and others; feature names differ before version 2.33. Without
# AVX2, it does not use FMA for them either. FMA stays enabled for the function `fma`, which torch
# uses to draw normal values: it is exact in both cases, and 6x slower without FMA.
C_LIBRARY = "GLIBC_TUNABLES"
C_LIBRARY_PLAIN = "glibc.cpu.hwcaps=-AVX2,-FMA4,-AVX2_Usable,-FMA4_Usable"

SEED = 0


def pin_libraries() -> None:
    """Set the variables that numeric libraries read at load time.

    Call this function before torch is imported. The C library reads its variable when the process
    starts. If the variable had a different value, the process restarts with the same command line.
    """
    os.environ.update(_ONE_THREAD | _PLAIN_INSTRUCTIONS)
    os.environ.pop(_CONTRADICTED, None)
    if os.environ.get(C_LIBRARY) != C_LIBRARY_PLAIN:
        os.environ[C_LIBRARY] = C_LIBRARY_PLAIN
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def pin_torch() -> None:
    """Use one thread, deterministic kernels and initialized memory in torch.

    Kernels for specific processors are disabled. Torch's warnings and logs about its internals are
    suppressed; fatal errors are still raised.
    """
    import torch

    warnings.filterwarnings("ignore", module=r"torch(\.|$)")
    warnings.filterwarnings(
        "ignore", message=".*LeafSpec", category=FutureWarning
    )  # from copies of torch's pytree specs by `copyreg`
    # torch.nn.LSTM and GRU assign their list of weights during export.
    warnings.filterwarnings(
        "ignore", message=r"The tensor attributes (self\.[\w.]*_flat_weights\[\d+\](, )?)+ were"
    )
    torch._logging.set_logs(all=logging.CRITICAL)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.nnpack.set_flags(False)


def seed_everything() -> None:
    """Seed every random number generator that a model can draw weights from."""
    import numpy
    import torch

    random.seed(SEED)
    numpy.random.seed(SEED)
    torch.manual_seed(SEED)
