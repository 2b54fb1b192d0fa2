"""Tests of files with calibration inputs."""

from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.export import ExportedProgram

from exir.cli.loading.calibration import calls_of
from exir.error import ModelError


class _ScaleModule(nn.Module):
    def forward(self, x: Tensor, factor: Tensor) -> Tensor:
        return x * factor


def _export_methods(*methods: str) -> dict[str, ExportedProgram]:
    program = torch.export.export(_ScaleModule(), (torch.ones(2, 3), torch.ones(3)))
    return dict.fromkeys(methods, program)


def _save_tensors(path: Path, **tensors: Tensor) -> Path:
    if path.suffix == ".npz":
        arrays: dict[str, Any] = {name: tensor.numpy() for name, tensor in tensors.items()}
        numpy.savez(path, **arrays)
    else:
        save_file(tensors, path)
    return path


@pytest.mark.parametrize("name", ["c.npz", "c.safetensors"])
def test_calibration_calls_are_stacked_or_joined(tmp_path: Path, name: str) -> None:
    x, factor = torch.randn(7, 3), torch.randn(3, 3)
    calls = calls_of(_save_tensors(tmp_path / name, x=x, factor=factor), _export_methods("forward"))[
        "forward"
    ]
    assert len(calls) == 3  # of 2 rows each; the last row is not a complete call
    for number, call in enumerate(calls):
        assert torch.equal(call[0], x[2 * number : 2 * number + 2]) and torch.equal(
            call[1], factor[number]
        )


def test_inputs_absent_from_the_file_default_to_the_example(tmp_path: Path) -> None:
    path = _save_tensors(tmp_path / "c.npz", **{"scale.x": torch.zeros(4, 2, 3)})
    calls = calls_of(path, _export_methods("forward", "scale"))
    assert calls["forward"] == []
    assert len(calls["scale"]) == 4
    assert torch.equal(calls["scale"][0][1], torch.ones(3))


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({}, "c.npz: has no tensors; the model's inputs are: factor, x"),
        ({"y": torch.ones(2, 3)}, "c.npz: unknown input 'y'; the model has: factor, x"),
        ({"x": torch.ones(2, 3).int()}, "c.npz: 'x': is int32, but the input is float32"),
        (
            {"x": torch.ones(2)},
            "c.npz: 'x': has 1 dimensions; stack calls along a new first dimension",
        ),
        ({"x": torch.ones(1, 3)}, "c.npz: 'x': has 1 rows, fewer than the 2 rows of a call"),
        ({"x": torch.ones(0, 3)}, "c.npz: 'x': has 0 rows, fewer than the 2 rows of a call"),
        (
            {"x": torch.ones(8, 3), "factor": torch.ones(3, 3)},
            r"c.npz: method 'forward': inputs have different numbers of calls \(3, 4\)",
        ),
    ],
)
def test_mismatched_calibration_input_is_named(
    tmp_path: Path, tensors: dict[str, Tensor], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        calls_of(_save_tensors(tmp_path / "c.npz", **tensors), _export_methods("forward"))


@pytest.mark.parametrize("name", ["c.npz", "c.safetensors", "missing.npz"])
def test_damaged_calibration_file_is_named(tmp_path: Path, name: str) -> None:
    if not name.startswith("missing"):
        (tmp_path / name).write_bytes(b"no tensors")
    with pytest.raises(ModelError, match=f"{name}: cannot be read as inputs: "):
        calls_of(tmp_path / name, _export_methods("forward"))
