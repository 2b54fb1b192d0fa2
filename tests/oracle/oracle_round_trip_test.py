"""Official programs still run on the official runtime after this compiler has rewritten their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import executorch.runtime

import executorch.kernels.quantized  # noqa: F401  (after the runtime, whose operators it adds to)  # isort: skip
import numpy as np
import pytest
import torch

from exir._serialize import deserialize_pte_binary, serialize_pte_binary
from exir.cli.reporting.calls import in_dim_order
from tests.oracle.official import OfficialProgram

FIXTURES = Path(__file__).parents[1] / "fixtures"
PROGRAMS = json.loads((FIXTURES / "manifest.json").read_text(encoding="utf-8"))
# No official runtime has the demo backend; the others need an external file or shared memory.
_NOT_ALONE = ("ptd_mlp", "ptd_mlp_xnn", "multi_state_shared")
RUNNABLE = [name for name, entry in PROGRAMS.items() if "delegate-demo" not in entry["tags"] and name not in _NOT_ALONE]


def value_of(spec: dict[str, Any], arrays: Any) -> Any:
    """A recorded input; bfloat16 is recorded as int16 of the same bits."""
    if spec["kind"] != "tensor":
        return spec.get("value")
    tensor = torch.from_numpy(arrays[spec["key"]].copy()).reshape(spec["shape"])
    tensor = tensor.view(torch.bfloat16) if spec["dtype"] == "bfloat16" else tensor
    return in_dim_order(tensor, spec["dim_order"])


def outputs_of(data: bytes, entry: dict[str, Any]) -> list[Any]:
    """Outputs of all recorded calls, made in order."""
    program = OfficialProgram(data)
    arrays = np.load(FIXTURES / entry["data"])
    return [
        program.run(call["method"], *(value_of(spec, arrays) for spec in call["inputs"])) for call in entry["calls"]
    ]


@pytest.mark.parametrize("name", RUNNABLE)
def test_rewritten_program_gives_the_same_outputs(name: str) -> None:
    entry = PROGRAMS[name]
    original = (FIXTURES / entry["file"]).read_bytes()
    rewritten = bytes(serialize_pte_binary(deserialize_pte_binary(original)))
    for first, second in zip(outputs_of(original, entry), outputs_of(rewritten, entry), strict=True):
        for one, other in zip(first, second, strict=True):
            same = torch.equal(one.nan_to_num(), other.nan_to_num()) if isinstance(one, torch.Tensor) else one == other
            assert same
