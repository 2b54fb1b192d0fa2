"""Runs the calls of parity tests on the official runtime."""

from __future__ import annotations

import os
from pathlib import Path

import executorch.runtime  # noqa: F401  (before exir, which reuses the dim_order_ops registered here)
import pytest
import torch

from exir.cli.reporting.calls import Call, read_calls
from tests.oracle.official import OfficialProgram

# Three files for each program: the program, its recorded calls, and their instruction values.
_FILES = [Path(path) for path in os.environ["REPLAYED"].split()]
_PROGRAMS = {program.stem: (program, calls) for program, calls in zip(_FILES[::3], _FILES[1::3], strict=True)}


def _check_call(program: OfficialProgram, call: Call) -> None:
    outputs = program.run(call.method, *call.inputs)
    for got, want in zip(outputs, call.outputs, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", sorted(_PROGRAMS))
def test_built_program_matches_eager_on_the_official_runtime(name: str) -> None:
    path, calls = _PROGRAMS[name]
    program = OfficialProgram(path.read_bytes())
    for call in read_calls(calls.read_bytes()):
        if call.expected_status == 0:
            _check_call(program, call)
        else:
            with pytest.raises(RuntimeError):
                program.run(call.method, *call.inputs)
