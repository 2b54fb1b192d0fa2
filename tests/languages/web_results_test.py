"""Tests that JavaScript in Node computes the results of the Python runtime.

WebAssembly has no fused multiply-add, and another math library: results of exp and tanh differ in the last bits.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from rules.interface.description import read_interface
from tests.languages.calls import Results, run_in_python

_INDEX = json.loads(Path(os.environ["INDEX"]).read_text(encoding="utf-8"))
_NODE = ("node", "--preserve-symlinks", "--preserve-symlinks-main", os.environ["DRIVER"])

_largest: dict[str, float] = {}

# Largest difference between outputs, relative to the largest absolute value of the output.
_TOLERANCE = {
    "float32": 1e-6,
    "float64": 1e-14,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "complex64": 1e-6,
    "double": 1e-14,
}


@pytest.mark.parametrize("name", _INDEX)
def test_web_results_match_the_python_runtime(name: str, tmp_path: Path) -> None:
    files = {role: Path(path) for role, path in _INDEX[name].items() if role != "borrows"}
    interface = read_interface(files["manifest"])
    expected = run_in_python(interface, files["program"], files.get("weights"), files.get("calls"), isa="plain")
    _largest[name] = _largest_difference(expected, _run(name, expected, tmp_path))


def test_most_results_are_bit_identical() -> None:
    """The others use exp, tanh and other functions of the math library."""
    differing = {name: f"{difference:.1e}" for name, difference in _largest.items() if difference}
    print(f"{len(_largest) - len(differing)} of {len(_largest)} models are bit-identical; others: {differing}")
    assert len(differing) <= len(_largest) // 2


def _run(name: str, expected: Results, folder: Path) -> bytes:
    (folder / "calls").write_bytes(expected.calls)
    command = [*_NODE, name, str(folder / "calls"), str(folder / "outputs")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return (folder / "outputs").read_bytes()


def _largest_difference(expected: Results, outputs: bytes) -> float:
    """Return the largest relative difference of an output. Fails above the tolerance."""
    largest = 0.0
    for dtype, wanted, got in zip(expected.dtypes, _decode(expected.outputs), _decode(outputs), strict=True):
        assert wanted[0] == got[0], f"{dtype}: sizes {got[0]} instead of {wanted[0]}"
        if wanted[1] == got[1]:
            continue
        assert dtype in _TOLERANCE, f"{dtype} differs"
        a, b = (_values(dtype, data) for _, data in (wanted, got))
        difference = float(np.max(np.abs(a - b)) / np.max(np.abs(a)))
        assert difference <= _TOLERANCE[dtype], f"{dtype}: differs by {difference}"
        largest = max(largest, difference)
    return largest


def _decode(outputs: bytes) -> Iterator[tuple[tuple[int, ...], bytes]]:
    """Yield the sizes and bytes of each output."""
    offset = 0
    while offset < len(outputs):
        (rank,) = struct.unpack_from("<I", outputs, offset)
        *sizes, nbytes = struct.unpack_from(f"<{rank}iQ", outputs, offset + 4)
        offset += 12 + 4 * rank
        yield tuple(sizes), outputs[offset : offset + nbytes]
        offset += nbytes


def _values(dtype: str, data: bytes) -> np.ndarray:
    torch_dtype = torch.float64 if dtype == "double" else getattr(torch, dtype)
    values = torch.frombuffer(bytearray(data), dtype=torch_dtype)
    return values.to(torch.complex128 if dtype.startswith("complex") else torch.float64).numpy()
