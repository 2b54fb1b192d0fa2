"""Programs of the official exporter, with recorded inputs and outputs, on our runtime.

What cannot run yet is listed with what it waits for, so that a program which starts to run, or waits for something else, fails
this test until the list says so.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from exir.cli.reporting.calls import Call, in_dim_order, write_calls

_FIXTURES = Path("tests/fixtures")
_PROGRAMS = json.loads((_FIXTURES / "manifest.json").read_text(encoding="utf-8"))

# What the runtime says, by program.
_WAITING = {
    name: "no backend is linked for: XnnpackBackend"
    for name, program in _PROGRAMS.items()
    if "xnn" in name or "xnnpack" in program["tags"]
}


def _value(spec: dict, arrays: np.lib.npyio.NpzFile) -> object:
    """One recorded input or output. bfloat16 is recorded as int16 with the same bits."""
    if spec["kind"] == "none":
        return None
    if spec["kind"] != "tensor":
        return spec["value"]
    tensor = torch.from_numpy(arrays[spec["key"]].copy())
    if spec["dtype"] == "bfloat16":
        tensor = tensor.view(torch.bfloat16)
    return in_dim_order(tensor.reshape(spec["shape"]), spec["dim_order"])


def _calls(program: dict) -> list[Call]:
    """The recorded calls; where the official runtime could not run or is known to be wrong, eager's outputs."""
    arrays = np.load(_FIXTURES / program["data"])
    return [
        Call(
            method=call["method"],
            inputs=tuple(_value(spec, arrays) for spec in call["inputs"]),
            outputs=tuple(_value(spec, arrays) for spec in call["eager_outputs"]),
        )
        for call in program["calls"]
    ]


def _replay(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = _PROGRAMS[name]
    calls = folder / "calls"
    calls.write_bytes(write_calls(_calls(program)))
    command = [os.environ["RUN_CALLS"], str(_FIXTURES / program["file"]), str(calls)]
    command += [str(_FIXTURES / name) for name in program["ptd"] or ()]
    command += [f"--atol={program['atol']}", f"--rtol={program['rtol']}"]
    if name == "multi_state_shared":
        command.append("--share-planned=2")
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", sorted(set(_PROGRAMS) - set(_WAITING)))
def test_program_gives_the_recorded_outputs(name: str, tmp_path: Path) -> None:
    result = _replay(name, tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", sorted(_WAITING))
def test_program_that_waits_is_refused_with_its_reason(name: str, tmp_path: Path) -> None:
    result = _replay(name, tmp_path)
    assert result.returncode == 1
    assert _WAITING[name] in result.stderr
