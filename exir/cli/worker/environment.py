"""What the process must look like so that its output depends on the inputs alone."""

import logging
import os
import random
import warnings

# One thread: results do not depend on the number of cores, and the worker may fork.
# The plain instruction set: seeded weights are the same on every x86-64 machine.
_SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ATEN_CPU_CAPABILITY": "default",
}

SEED = 0


def pin_libraries() -> None:
    """Set what numeric libraries read when they are loaded. Call before torch is imported."""
    os.environ.update(_SETTINGS)


def pin_torch() -> None:
    """One thread, deterministic kernels, memory from `torch.empty` filled.

    Torch's own warnings, which tell of its insides, are dropped.
    """
    import torch

    warnings.filterwarnings("ignore", module=r"torch(\.|$)")
    torch._logging.set_logs(all=logging.ERROR)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)


def seed_everything() -> None:
    """Put every random number generator that a model may draw weights from to its fixed start."""
    import numpy
    import torch

    random.seed(SEED)
    numpy.random.seed(SEED)
    torch.manual_seed(SEED)
