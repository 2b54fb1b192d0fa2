"""Compares XNNPACK programs by the official exporter with their recorded outputs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from exir.cli.reporting.calls import Call, write_calls

_FOLDER = Path(__file__).parent
_PROGRAMS = sorted(path.stem for path in _FOLDER.glob("*.pte"))
_ATOL, _RTOL = 1e-5, 1e-4


def _tensors(arrays: np.lib.npyio.NpzFile, call: int, which: str) -> tuple[torch.Tensor, ...]:
    count = sum(name.startswith(f"c{call}_{which}") for name in arrays.files)
    return tuple(torch.from_numpy(arrays[f"c{call}_{which}{i}"].copy()) for i in range(count))


def _calls(name: str) -> list[Call]:
    arrays = np.load(_FOLDER / f"{name}.npz")
    count = sum(file.endswith("_et0") for file in arrays.files)
    return [
        Call(method="forward", inputs=_tensors(arrays, i, "in"), outputs=_tensors(arrays, i, "et"))
        for i in range(count)
    ]


def test_all_xnnpack_program_fixtures_exist() -> None:
    assert len(_PROGRAMS) == 46
    assert all(_calls(name) for name in _PROGRAMS)


@pytest.mark.parametrize("name", _PROGRAMS)
def test_xnnpack_program_matches_official_outputs(name: str, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    calls.write_bytes(write_calls(_calls(name)))
    command = [os.environ["RUN_CALLS"], str(_FOLDER / f"{name}.pte"), str(calls)]
    command += [f"--atol={_ATOL}", f"--rtol={_RTOL}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
