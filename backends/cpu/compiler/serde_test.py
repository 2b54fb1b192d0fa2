"""Tests that delegated programs are unchanged by saving and loading."""

import io
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

from backends.cpu.compiler.partitioner import CpuPartitioner
from exir import EdgeProgramManager, serde, to_edge_transform_and_lower
from exir.delegate import delegate_calls
from exir.quantize import QuantizationOptions, quantize_weights

ROWS = (torch.randn(3, 64),)


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(64, 8)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, self.linear, lambda y: self.linear(y) * 2, (x,))


class Remembering(nn.Module):
    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(64, 64)
        self.register_buffer("total", torch.zeros(3, 64))

    def forward(self, x: Tensor) -> Tensor:
        self.total += self.linear(x)
        return torch.sigmoid(self.total)


def _linear() -> ExportedProgram:
    return export(nn.Sequential(nn.Linear(64, 32), nn.ReLU()).eval(), ROWS)


def _convolution() -> ExportedProgram:
    module = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 8, 1)).eval()
    return export(module, (torch.randn(1, 3, 16, 16),))


def _dynamic() -> ExportedProgram:
    shapes = ({0: Dim("n", min=2, max=16)},)
    return export(nn.Linear(64, 32).eval(), ROWS, dynamic_shapes=shapes)


def _low_bit() -> ExportedProgram:
    module = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 32)).eval()
    quantize_weights(module, QuantizationOptions(recipe="int4_weight_only", group_size=32))
    return export(module, ROWS, strict=False)


def _branches() -> ExportedProgram:
    return export(Branches().eval(), ROWS)


def _remembering() -> ExportedProgram:
    return export(Remembering().eval(), ROWS)


@pytest.mark.parametrize("make", [_linear, _convolution, _dynamic, _low_bit, _branches, _remembering])
def test_a_delegated_program_is_unchanged_after_saving_and_loading(make: Callable[[], ExportedProgram]) -> None:
    manager = to_edge_transform_and_lower(make(), partitioner=[CpuPartitioner()])
    program = manager.exported_program()
    assert list(delegate_calls(program.graph)) or make is _branches
    file = io.BytesIO()
    serde.save(program, file)
    file.seek(0)
    found = EdgeProgramManager(serde.load(file))
    assert found.to_executorch().buffer == manager.to_executorch().buffer
