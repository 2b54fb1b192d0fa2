"""Products of many rows by Strassen's algorithm: where it is taken, and that it computes the same."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.kinds.strassen import Strassen
from backends.cpu.compiler.testing.compare import assert_computes, operations, steps


class _Residual(nn.Module):
    """x plus two layers of it, with a curve between them."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(192, 416)
        self.down = nn.Linear(416, 192, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(torch.nn.functional.gelu(self.up(x)))


def _rows(*shape: int) -> Tensor:
    torch.manual_seed(0)
    return torch.randn(shape)


@pytest.mark.parametrize(
    "depth, columns, rows, kind",
    [
        (192, 224, 64, Strassen),
        (192, 224, 63, Product),
        (160, 224, 64, Product),
        (224, 160, 64, Product),
        (208, 224, 64, Product),
        (224, 208, 64, Product),
    ],
)
def test_it_is_taken_by_rows_and_dimensions(depth: int, columns: int, rows: int, kind: Any) -> None:
    layer = nn.Linear(depth, columns)
    (chosen,) = operations(layer, _rows(1, rows, depth), strassen="always")
    assert type(chosen) is kind


def test_weights_are_not_larger_unless_it_is_asked_for() -> None:
    assert Strassen not in map(type, operations(_Residual(), _rows(1, 128, 192)))


def test_two_bytes_stay_two_bytes() -> None:
    assert Strassen not in map(type, operations(_Residual(), _rows(1, 128, 192), weights="float16", strassen="always"))


@pytest.mark.parametrize("rows", [64, 65, 300])
def test_residual_and_curve_are_part_of_it(rows: int) -> None:
    module, x = _Residual(), _rows(1, rows, 192)
    found = operations(module, x, strassen="always")
    assert [type(each) for each in found] == [Strassen, Strassen]
    assert_computes(module, x, strassen="always")


def test_rows_of_a_picture() -> None:
    module = nn.Sequential(nn.Conv2d(192, 256, 1), nn.ReLU())
    x = _rows(2, 192, 7, 9).to(memory_format=torch.channels_last)
    assert Strassen in map(type, operations(module, x, strassen="always"))
    assert_computes(module, x, strassen="always")


def test_any_number_of_rows_up_to_a_bound() -> None:
    module, batch, tokens = _Residual(), Dim("batch", min=1, max=3), Dim("tokens", min=1, max=60)
    shapes = ({0: batch, 1: tokens},)
    graph = steps(module, _rows(2, 30, 192), dynamic_shapes=shapes, strassen="always")
    assert [type(step.operation) for step in graph.steps] == [Strassen, Strassen]
    others = [(_rows(b, t, 192),) for b, t in ((1, 1), (1, 2), (3, 60), (1, 7))]
    assert_computes(module, _rows(2, 30, 192), dynamic_shapes=shapes, others=others, strassen="always")
