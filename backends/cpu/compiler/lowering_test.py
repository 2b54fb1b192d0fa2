"""Tests of the reproducibility and the peak memory of compilation."""

import os
import subprocess
import sys
from pathlib import Path

_MODEL = """
import torch
from backends.cpu.compiler.testing import networks
from exir.model.spec import ModelSpec

networks.WORDS = {words}

def model():
    return ModelSpec(networks.Decoder(cached=True).eval(), (torch.zeros(1, 1, dtype=torch.int64), torch.tensor([3])))
"""
# VmHWM is the peak memory of this program alone. `ru_maxrss` includes that of the parent before
# exec.
_COMPILER = """
import re, sys
from pathlib import Path
from exir.cli.lower import main

code = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""


def _compile(folder: Path, words: int, **environment: str) -> tuple[bytes, int]:
    """Compile a decoder with `words` words in a new process.

    Return the program and the peak memory in bytes.
    """
    (folder / "net.py").write_text(_MODEL.format(words=words))
    program = folder / "net.pte"
    flags = ["--target=//:net", "--module=net", "--module-file=net.py", "--import-root=.", f"--out-pte={program}"]
    backend = "--backend=backends.cpu.compiler.partitioner:BACKEND"
    path = os.pathsep.join([os.getcwd(), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", _COMPILER, *flags, backend],
        cwd=folder,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": path, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return program.read_bytes(), int(done.stdout) * 1024


def test_every_process_produces_the_same_bytes(tmp_path: Path) -> None:
    first, _ = _compile(tmp_path, 40, PYTHONHASHSEED="0")
    again, _ = _compile(tmp_path, 40, PYTHONHASHSEED="4711", TZ="Asia/Tokyo", OMP_NUM_THREADS="3")
    assert again == first


def test_compilation_holds_only_two_copies_of_a_weight(tmp_path: Path) -> None:
    """Nearly all of the decoder's memory is the embedding.

    The embedding is also the weight of the last layer.
    """
    small, least = _compile(tmp_path, 100_000)
    large, most = _compile(tmp_path, 900_000)
    assert len(large) - len(small) > 100e6
    assert most - least < 2.2 * (len(large) - len(small))
