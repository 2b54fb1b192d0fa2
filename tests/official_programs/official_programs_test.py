"""Runs programs by the official exporter, and checks their recorded outputs.

Unsupported programs are listed with their errors. If such a program runs, or fails in another way,
the test fails until the list is updated.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from exir.cli.reporting.calls import Call, write_calls
from tests.fixtures.recorded import FOLDER, PROGRAMS, recorded_calls

# The runtime's error, by program.
_WAITING = {"tut09_delegate_mapping_demo": "payload: the operands and weights are missing"}


def _calls(program: dict) -> list[Call]:
    """Return the recorded calls with eager PyTorch's outputs.

    Eager PyTorch is the reference, because the official runtime cannot run all programs, and some
    of its results are known to be wrong.
    """
    pairs = zip(recorded_calls(program, "inputs"), recorded_calls(program, "eager_outputs"), strict=True)
    return [Call(method=method, inputs=inputs, outputs=outputs) for (method, inputs), (_, outputs) in pairs]


def _replay(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = PROGRAMS[name]
    calls = folder / "calls"
    calls.write_bytes(write_calls(_calls(program)))
    command = [os.environ["RUN_CALLS"], str(FOLDER / program["file"]), str(calls)]
    command += [str(FOLDER / name) for name in program["ptd"] or ()]
    command += [f"--atol={program['atol']}", f"--rtol={program['rtol']}"]
    if name == "multi_state_shared":
        command.append("--share-planned=2")
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - set(_WAITING)))
def test_official_program_reproduces_recorded_outputs(name: str, tmp_path: Path) -> None:
    result = _replay(name, tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", sorted(_WAITING))
def test_unsupported_official_program_is_refused_with_its_reason(name: str, tmp_path: Path) -> None:
    result = _replay(name, tmp_path)
    assert result.returncode == 1
    assert _WAITING[name] in result.stderr
