"""Tests that elementwise operators agree with PyTorch for all dtypes."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.elementwise import ElementwiseF32, ElementwiseI64
from backends.cpu.schema.quantization import Cast
from exir.backend.utils import get_non_lowered_nodes

_COMPARISONS = [torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge]


def _some(dtype: torch.dtype, *sizes: int) -> Tensor:
    """Return small integers, so that some are equal and some are 0."""
    return torch.randint(-2, 3, sizes).to(dtype)


@pytest.mark.parametrize("function", [*_COMPARISONS, torch.logical_and, torch.logical_or])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.int64, torch.int32])
def test_comparisons(function: Any, dtype: torch.dtype) -> None:
    x, y = _some(dtype, 2, 3, 5), _some(dtype, 3, 1)
    assert_computes(lambda x, y: function(x, y), x, y)


@pytest.mark.parametrize("function", _COMPARISONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_comparisons_with_scalars(function: Any, dtype: torch.dtype) -> None:
    assert_computes(lambda x: function(x, 1), _some(dtype, 3, 7))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x & y,
        lambda x, y: x | ~y,
        lambda x, y: torch.logical_not(x) | y,
        lambda x, y: (x & y).float() * 2,
        lambda x, y: (x | y).long(),
        lambda x, y: torch.where(x & y, 0.0, float("-inf")),
    ],
)
def test_boolean_functions(function: Any) -> None:
    assert_computes(function, _some(torch.bool, 4, 5), _some(torch.bool, 5))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_where_and_masked_fill(dtype: torch.dtype) -> None:
    condition, a, b = _some(torch.bool, 4, 1), _some(dtype, 3, 4, 5), _some(dtype, 5)
    assert_computes(torch.where, condition, a, b)
    assert_computes(lambda condition, a: a.masked_fill(condition, 7), condition, a)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_zero_dim_tensors(dtype: torch.dtype) -> None:
    one, other, row = _some(dtype), _some(dtype), _some(dtype, 3)
    assert_computes(lambda one, other: one * other + 2, one, other)
    assert_computes(lambda one, other, row: torch.where(one < other, one + row, row), one, other, row)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_elementwise_ops_on_integers(dtype: torch.dtype) -> None:
    x, y = _some(dtype, 4, 5), _some(dtype, 5)
    made = specs(lambda x, y: (x * 3 - y) + x.minimum(y).neg(), x, y)
    assert {type(each) for each in made} == {ElementwiseI64}
    assert_computes(lambda x, y: (x * 3 - y) + x.minimum(y).neg(), x, y)


def test_large_integers_stay_exact() -> None:
    assert_computes(lambda x: (x + 1) - x, torch.tensor([2**40, -(2**62)]))
    assert_computes(lambda x: x + 2**40, torch.tensor([1, -1]))


def test_mask_computed_from_positions_is_applied() -> None:
    def hidden(x: Tensor, positions: Tensor) -> Tensor:
        seen = torch.arange(9) <= positions[:, None]
        return F.softmax(x.masked_fill(~seen, float("-inf")), -1)

    shapes = {"function": ({1: (n := Dim("n", min=2, max=20))}, {0: n})}
    x, positions = torch.randn(2, 4, 9), torch.arange(4)
    others = [(torch.randn(2, 20, 9), torch.arange(20))]
    assert_computes(hidden, x, positions, dynamic_shapes=shapes["function"], others=others)


def test_comparisons_are_fused_into_their_reader() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.where((x > y) & (y > 0), x * 2, y)

    x, y = torch.randn(3, 8), torch.randn(3, 8)
    assert [type(each) for each in specs(function, x, y)] == [ElementwiseF32]
    assert_computes(function, x, y)


@pytest.mark.parametrize("function", [lambda x, n: n & 6, lambda x, n: n // 4])
def test_unsupported_operators_are_left_to_kernels(function: Any) -> None:
    program = lowered(function, [torch.randn(3), torch.arange(3)])
    assert get_non_lowered_nodes(program.graph)


def _left_to_kernels(function: Any, *inputs: Tensor, dynamic_shapes: Any = None) -> list[str]:
    program = lowered(function, inputs, dynamic_shapes)
    return [node.target.name() for node in get_non_lowered_nodes(program.graph) if hasattr(node.target, "name")]


@pytest.mark.parametrize("number", [0.5, -1.5, float("inf"), float("nan"), 2**33])
@pytest.mark.parametrize("function", _COMPARISONS)
def test_scalars_outside_the_integer_range(function: Any, number: float) -> None:
    name = function.__name__
    assert _left_to_kernels(lambda i: function(i, number), torch.arange(-2, 3).int()) == [f"aten::{name}.Scalar"]


def test_integral_float_scalars() -> None:
    assert_computes(lambda i: (i >= 1.0) | (i == -2.0), torch.arange(-2, 3))


@pytest.mark.parametrize("function", [torch.logical_and, torch.logical_or])
def test_comparisons_of_integers_with_floats(function: Any) -> None:
    x, y = _some(torch.float32, 5), _some(torch.int64, 5)
    assert _left_to_kernels(lambda x, y: function(x, y), x, y) == [f"aten::{function.__name__}"]


def test_integer_computed_during_the_call_is_left_to_kernels() -> None:
    found = _left_to_kernels(
        lambda x: torch.select_scatter(x, x[0] * 2, 0, -1),
        torch.randn(4, 3),
        dynamic_shapes=({0: Dim("rows", min=2, max=8)},),
    )
    assert "aten::eq.Scalar" in found


def test_size_that_is_one_only_in_the_example_is_left_to_kernels() -> None:
    """For n = 3, `n // 2 % 4` is 1, and torch.export records size 1 for the result."""

    class Part(torch.nn.Module):
        def forward(self, x: Tensor, n: int) -> Tensor:
            part = x[..., : n // 2 % 4]
            return part + part.sum(-1, keepdim=True) * 0.1

    lowered(Part(), (torch.randn(2, 3, 8), 3), (None, Dim.DYNAMIC(min=0, max=3)))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_floats_are_truncated_to_integers(dtype: torch.dtype) -> None:
    x = torch.tensor([[2.9, -2.9, 0.0], [-0.5, 1e9, 7.0]])
    assert Cast() in specs(lambda x: x.to(dtype) + 1, x)
    assert_computes(lambda x: x.to(dtype) + 1, x)
    shapes = ({0: Dim("rows", min=1, max=9)},)
    assert_computes(lambda x: x.to(dtype) * 2, x, dynamic_shapes=shapes, others=[(torch.randn(7, 3) * 9,)])
