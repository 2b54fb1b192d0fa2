"""Tests that a program's bytes do not depend on the machine's instruction set.

The models use every library that selects code by processor: MKL, oneDNN, ATen's loops, NumPy,
OpenBLAS and the C math library. The outer environment forces the selection of another machine.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[3]

_MODEL = """
import math, numpy, torch
from torch.nn import functional as F

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(96, 64)
        torch.nn.init.orthogonal_(self.linear.weight)
        self.conv = torch.nn.Conv2d(3, 8, 3)
        wide = torch.randn(64, 300, dtype=torch.float64)
        self.wide = torch.nn.Parameter(wide)
        self.register_buffer("product", torch.randn(64, 300) @ torch.randn(300, 64))
        self.register_buffer("inverse", torch.linalg.inv(self.product[:40, :40]))
        self.register_buffer("filtered", F.conv2d(torch.randn(2, 16, 31, 33), torch.randn(24, 16, 3, 3)))
        self.register_buffer("brief", torch.randn(40, 64).bfloat16() @ torch.randn(64, 8).bfloat16())
        angles = [math.sin(place / 10000.0 ** (rate / 64)) for place in range(90) for rate in range(64)]
        self.register_buffer("angles", torch.tensor(angles, dtype=torch.float64))
        self.register_buffer("put", torch.zeros(4).put_(torch.tensor([1]), torch.ones(1)))  # has no deterministic kernel
        drawn = numpy.random.randn(60, 70)
        self.register_buffer("drawn", torch.from_numpy(numpy.tanh(drawn) @ numpy.exp(drawn.T)))

    def forward(self, x, image):
        constants = self.product.exp().sum() + self.filtered.tanh().sum() + self.inverse.sin().sum() + self.brief.float().sum()
        doubles = torch.log1p(self.wide.abs()).sum() + self.wide.exp().sum() + torch.pow(self.wide.abs(), 1.3).sum()
        return self.linear(x) + constants, self.conv(image), doubles + self.angles.sum() + self.drawn.sum() + self.put.sum()

def model():
    return Net(), (torch.randn(2, 96), torch.randn(1, 3, 9, 9))
"""

# If a library reads two variables, the test machine sets the one that the compiler does not set.
_MACHINES = {
    "without AVX": {
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "DNNL_MAX_CPU_ISA": "SSE41",
        "ATEN_CPU_CAPABILITY": "default",
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4",
    },
    "with AVX2, two threads": {
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "DNNL_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "NPY_ENABLE_CPU_FEATURES": "X86_V3",
        "OPENBLAS_CORETYPE": "Haswell",
        "OMP_NUM_THREADS": "2",
        "MKL_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
    },
}


def _compile_digests(folder: Path, changes: dict[str, str]) -> dict[str, str]:
    """Compile the model in a process with these variables, and hash each output."""
    outputs = {name: folder / name for name in ("pte", "reference")}
    subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "exir.cli.lower",
                "--target=//:net",
                "--module=net",
                f"--import-root={folder}",
            ),
            *(f"--out-{name}={path}" for name, path in outputs.items()),
        ],
        env={
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path]),
            **changes,
        },
        check=True,
    )
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in outputs.items()}


def test_compiled_bytes_do_not_depend_on_the_machine(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(_MODEL)
    as_it_is = _compile_digests(tmp_path, {})
    for machine, changes in _MACHINES.items():
        assert _compile_digests(tmp_path, changes) == as_it_is, machine


_MODELS_WITH_TORCH_LOGS = """
import torch

class Mapped(torch.nn.Module):
    def forward(self, x):
        return torch.vmap(torch.sin)(x)

class Wrong(torch.nn.Module):
    def forward(self, x):
        return x @ torch.ones(4, 4)

class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.LSTM(2, 3)

    def forward(self, x):
        return self.layers(x)[0]

def recurrent():
    return Recurrent(), (torch.ones(5, 1, 2),)

def mapped():
    return Mapped(), (torch.ones(2, 3),)

def wrong():
    return Wrong(), (torch.ones(2, 3),)
"""


def _compiler_messages(folder: Path, entry_point: str) -> str:
    """Return the compiler's messages for a model."""
    (folder / "net.py").write_text(_MODELS_WITH_TORCH_LOGS)
    words = [
        "--target=//:net",
        "--module=net",
        f"--entry-point={entry_point}",
        f"--import-root={folder}",
    ]
    finished = subprocess.run(
        [sys.executable, "-m", "exir.cli.lower", *words, f"--out-pte={folder / 'pte'}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path])},
        capture_output=True,
        text=True,
    )
    return finished.stdout + finished.stderr


def test_torch_log_output_is_dropped(tmp_path: Path) -> None:
    for entry_point in ("mapped", "recurrent"):
        assert _compiler_messages(tmp_path, entry_point) == ""
    said = _compiler_messages(tmp_path, "wrong")
    assert said.startswith("error: //:net: ") and "Traceback" not in said


_MATHEMATICS = """
import ctypes, hashlib
C = ctypes.CDLL("libm.so.6")
FURTHER = {"pow": (1.37,), "atan2": (1.37,), "fma": (1.1, -0.3)}
NAMES = "exp log sin cos tan atan asin acos sinh cosh tanh exp2 log2 log10 log1p expm1 erf lgamma cbrt asinh atanh".split()
for name in [*NAMES, *FURTHER]:
    further = FURTHER.get(name, ())
    for function, kind in (getattr(C, name), ctypes.c_double), (getattr(C, name + "f"), ctypes.c_float):
        function.restype, function.argtypes = kind, [kind] * (1 + len(further))
        results = [function(i / 3001, *further) for i in range(1, 3000)]
        print(function.__name__, hashlib.sha256(repr(results).encode()).hexdigest())
"""


_PINNED = "from exir.cli.worker.environment import pin_libraries\npin_libraries()\n"


def _math_results(program: str, changes: dict[str, str]) -> list[str]:
    """Return a line for each C math function: its name and its results."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), **changes}
    command = [sys.executable, "-c", program]
    finished = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return finished.stdout.splitlines()


def test_libm_results_do_not_depend_on_fma() -> None:
    without = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable"
    plain = _math_results(_MATHEMATICS, {"GLIBC_TUNABLES": without})
    assert len(plain) == 48
    assert _math_results(_PINNED + _MATHEMATICS, {"GLIBC_TUNABLES": ""}) == plain
