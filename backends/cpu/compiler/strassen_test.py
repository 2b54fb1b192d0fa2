"""Tests that Strassen's algorithm is chosen for many rows, and that results agree."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from backends.cpu.compiler.partitioner import CpuPartitioner
from backends.cpu.compiler.testing.compare import assert_computes, ops, specs
from backends.cpu.schema.gemm import GemmF32, StrassenF32
from exir import to_edge_transform_and_lower
from exir._serialize import deserialize_pte_binary
from exir.program import ExecutorchProgramManager


class _Residual(nn.Module):
    """Two layers with an activation between them, and a residual connection."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(320, 416)
        self.down = nn.Linear(416, 320, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(torch.nn.functional.gelu(self.up(x)))


def _rows(*shape: int) -> Tensor:
    torch.manual_seed(0)
    return torch.randn(shape)


@pytest.mark.parametrize(
    "depth, columns, rows, kind",
    [
        (192, 224, 64, StrassenF32),
        (192, 224, 63, GemmF32),
        (160, 224, 64, GemmF32),
        (224, 160, 64, GemmF32),
        (208, 224, 64, GemmF32),
        (224, 208, 64, GemmF32),
    ],
)
def test_always_depends_on_rows_and_dimensions(depth: int, columns: int, rows: int, kind: Any) -> None:
    layer = nn.Linear(depth, columns)
    (chosen,) = specs(layer, _rows(1, rows, depth), strassen="always")
    assert type(chosen) is kind


@pytest.mark.parametrize(
    "shape, columns, kind",
    [
        ((1, 96, 320), 192, StrassenF32),
        ((1, 95, 320), 192, GemmF32),
        ((1, 96, 288), 192, GemmF32),
        ((1, 96, 320), 160, GemmF32),
        ((3, 96, 320), 192, StrassenF32),
        ((3, 95, 320), 192, GemmF32),
        ((96, 1, 320), 192, GemmF32),
        ((96, 320), 192, GemmF32),
        ((1, 8, 12, 320), 192, StrassenF32),
    ],
)
def test_auto_requires_many_rows_per_example(shape: tuple[int, ...], columns: int, kind: Any) -> None:
    (chosen,) = specs(nn.Linear(shape[-1], columns), _rows(*shape))
    assert type(chosen) is kind


def test_strassen_can_be_disabled() -> None:
    assert StrassenF32 not in map(type, specs(_Residual(), _rows(1, 128, 320), strassen="never"))


def test_strassen_excludes_float16_weights() -> None:
    assert StrassenF32 not in map(type, specs(_Residual(), _rows(1, 128, 320), weights="float16", strassen="always"))


@pytest.mark.parametrize("rows", [64, 65, 300])
def test_strassen_applies_residual_and_activation(rows: int) -> None:
    module, x = _Residual(), _rows(1, rows, 320)
    found = specs(module, x, strassen="always")
    assert [type(each) for each in found] == [StrassenF32, StrassenF32]
    assert_computes(module, x, strassen="always")


def test_strassen_of_image_rows() -> None:
    module = nn.Sequential(nn.Conv2d(320, 320, 1), nn.ReLU())
    x = _rows(2, 320, 9, 11).to(memory_format=torch.channels_last)
    assert StrassenF32 in map(type, specs(module, x))
    assert_computes(module, x)


def test_strassen_of_a_dynamic_number_of_rows() -> None:
    module, batch, tokens = _Residual(), Dim("batch", min=1, max=3), Dim("tokens", min=1, max=70)
    shapes = ({0: batch, 1: tokens},)
    graph = ops(module, _rows(2, 30, 320), dynamic_shapes=shapes, strassen="always")
    assert [type(op.spec) for op in graph.ops] == [StrassenF32, StrassenF32]
    others = [(_rows(b, t, 320),) for b, t in ((1, 1), (1, 2), (3, 70), (1, 7))]
    assert_computes(module, _rows(2, 30, 320), dynamic_shapes=shapes, others=others, strassen="always")


@pytest.mark.parametrize("least, kind", [(95, GemmF32), (96, StrassenF32)])
def test_auto_depends_on_the_minimum_number_of_rows(least: int, kind: Any) -> None:
    shapes = ({0: Dim("batch", min=1, max=3), 1: Dim("tokens", min=least, max=140)},)
    graph = ops(_Residual(), _rows(2, 130, 320), dynamic_shapes=shapes)
    assert [type(op.spec) for op in graph.ops] == [kind, kind]
    assert_computes(_Residual(), _rows(2, 130, 320), dynamic_shapes=shapes, others=[(_rows(1, least, 320),)])


class _Tied(nn.Module):
    """An embedding whose table is also the weight of a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(224, 320)

    def forward(self, words: Tensor) -> Tensor:
        return self.table(words) @ self.table.weight.t()


class _First(nn.Module):
    """A layer that is applied to all rows and to the first row."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(320, 320)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(self.layer(x)[:, :1])


def test_strassen_excludes_weights_with_other_readers() -> None:
    words = torch.arange(128).reshape(1, 128)
    for module, x in ((_Tied(), words), (_First(), _rows(1, 128, 320))):
        assert StrassenF32 in map(type, specs(module, x, strassen="always"))
        assert StrassenF32 not in map(type, specs(module, x))


def _program(module: nn.Module, *rows: int) -> ExecutorchProgramManager:
    """Return a program with a method for each number of rows."""
    methods = {f"of_{count}": export(module.eval(), (_rows(1, count, 320),), strict=False) for count in rows}
    return to_edge_transform_and_lower(methods, partitioner=[CpuPartitioner()]).to_executorch()


def _named_bytes(*rows: int) -> int:
    torch.manual_seed(0)
    return sum(len(blob.data) for blob in deserialize_pte_binary(_program(_Residual(), *rows).buffer).named_data)


def test_methods_share_weights() -> None:
    plain, sums = _named_bytes(1), _named_bytes(128)
    assert 1.7 * plain < sums < 1.8 * plain
    assert _named_bytes(128, 1) == _named_bytes(1, 128) == plain
    assert _named_bytes(128, 96) == sums
