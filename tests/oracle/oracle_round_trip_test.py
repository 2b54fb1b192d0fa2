"""Tests that rewritten official programs run on the official runtime."""

from __future__ import annotations

from typing import Any

import executorch.runtime

import executorch.kernels.quantized  # noqa: F401  (after the runtime, whose operators it adds to)  # isort: skip
import pytest
import torch

from exir._serialize import deserialize_pte_binary, serialize_pte_binary
from tests.fixtures.recorded import FOLDER, PROGRAMS, recorded_calls
from tests.oracle.official import OfficialProgram

# The official runtime has no demo backend; others need external files or shared memory.
_NOT_ALONE = ("ptd_mlp", "ptd_mlp_xnn", "multi_state_shared")
RUNNABLE = [name for name, entry in PROGRAMS.items() if "delegate-demo" not in entry["tags"] and name not in _NOT_ALONE]


def outputs_of(data: bytes, entry: dict[str, Any]) -> list[Any]:
    """Return the outputs of all recorded calls, in order."""
    program = OfficialProgram(data)
    return [program.run(method, *inputs) for method, inputs in recorded_calls(entry, "inputs")]


@pytest.mark.parametrize("name", RUNNABLE)
def test_rewritten_program_has_equal_outputs(name: str) -> None:
    entry = PROGRAMS[name]
    original = (FOLDER / entry["file"]).read_bytes()
    rewritten = bytes(serialize_pte_binary(deserialize_pte_binary(original)))
    for first, second in zip(outputs_of(original, entry), outputs_of(rewritten, entry), strict=True):
        for one, other in zip(first, second, strict=True):
            same = torch.equal(one.nan_to_num(), other.nan_to_num()) if isinstance(one, torch.Tensor) else one == other
            assert same
