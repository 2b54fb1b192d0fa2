"""Tests that constants are part of the payload, even if their sizes are dynamic."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, ops, specs
from exir.backend.utils import get_non_lowered_nodes


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + torch.full((4, 4), 3.0).triu(1),
        lambda x: x + torch.ones_like(x),
        lambda x: x + torch.arange(1, 8, 2) + torch.zeros(4, 1, dtype=torch.int32),
        lambda x: x.masked_fill(torch.ones(4, 4, dtype=torch.bool).tril(), 0),
    ],
)
def test_constants_of_static_sizes(function: Any) -> None:
    assert_computes(function, torch.randn(4, 4))


def test_constants_of_dynamic_sizes() -> None:
    def function(x: Tensor) -> Tensor:
        rows = x.shape[0]
        seen = torch.ones(rows, rows, dtype=torch.bool).tril()
        return x.masked_fill(~seen, float("-inf")) + torch.arange(rows) + torch.full((rows, 1), 7)

    n = Dim("n", min=2, max=12)
    others = [(torch.randn(size, size),) for size in (2, 12)]
    assert_computes(function, torch.randn(5, 5), dynamic_shapes=({0: n, 1: n},), others=others)


def test_scalar_constants_are_part_of_the_elementwise_op() -> None:
    made = specs(lambda x: torch.where(x > 0, 1.0, -1.0), torch.randn(3))
    assert [type(each).__name__ for each in made] == ["ElementwiseF32"]


def test_dynamic_ranges_are_not_stored() -> None:
    def function(x: Tensor) -> Tensor:
        rows = x.shape[0]
        return x + torch.arange(rows) + torch.arange(rows, 0, -1) + torch.arange(0, 3 * rows, 3, dtype=torch.int32)

    n = Dim("n", min=2, max=1 << 20)
    others = [(torch.arange(size),) for size in (2, 50)]
    assert_computes(function, torch.arange(5), dynamic_shapes=({0: n},), others=others)
    made = ops(function, torch.arange(5), dynamic_shapes=({0: n},)).ops
    assert all(value.constant is None for op in made for value in op.inputs)


def test_dynamic_sizes_as_tensor_elements() -> None:
    def function(x: Tensor) -> Tensor:
        rows, columns = x.shape
        mean = (x * rows).sum() / columns
        return rows - 1 - torch.arange(rows) + mean + torch.full((3, 1), columns)

    n, m = Dim("n", min=2, max=12), Dim("m", min=2, max=12)
    others = [(torch.randn(2, 12),), (torch.randn(12, 2),)]
    assert_computes(function, torch.randn(5, 4), dynamic_shapes=({0: n, 1: m},), others=others)


def test_arange_that_starts_below_zero_is_left_to_kernels() -> None:
    def function(x: Tensor) -> Tensor:
        return x + torch.arange(-x.shape[0], 0)

    program = lowered(function, [torch.arange(5)], ({0: Dim("n", min=2, max=9)},))
    assert get_non_lowered_nodes(program.graph)


def test_slices_that_start_at_an_integer_argument() -> None:
    def function(x: Tensor, n: int) -> Tensor:
        torch._check(n >= 0)
        torch._check(n <= 6)
        return x[:, n : n + 3] * 2

    x = torch.randn(2, 9)
    assert_computes(function, x, 2, dynamic_shapes=(None, Dim.DYNAMIC), others=[(x, 0), (x, 6)])


def test_integer_that_can_be_negative_is_left_to_kernels() -> None:
    rows = Dim("rows", min=2, max=12)
    program = lowered(lambda x: x * (x.shape[0] - 20), (torch.arange(5),), ({0: rows},))
    assert "aten::scalar_tensor" in [
        getattr(node.target, "name", str)() for node in get_non_lowered_nodes(program.graph)
    ]


def test_slice_that_may_exceed_its_dimension_is_not_delegated() -> None:
    program = lowered(lambda x: x[: x.shape[1]] + 1, (torch.randn(5, 3),), ({0: Dim("n", min=2, max=9), 1: Dim.AUTO},))
    assert "aten::slice_copy.Tensor" in [each.target.name() for each in get_non_lowered_nodes(program.graph)]


def test_slice_within_its_dimension_is_delegated() -> None:
    program = lowered(lambda x: x[1:] - x[:-1], (torch.randn(9, 3),), ({0: Dim("n", min=4, max=12)},))
    assert not get_non_lowered_nodes(program.graph)


def test_slice_whose_size_no_input_determines_is_not_delegated() -> None:
    program = lowered(lambda x: torch.tensor_split(x + 1, torch.tensor([1, 3])), (torch.randn(7, 2),))
    assert "aten::slice_copy.Tensor" in [
        getattr(each.target, "name", str)() for each in get_non_lowered_nodes(program.graph)
    ]
