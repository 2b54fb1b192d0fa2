"""What is the same at every call is no argument of it, whatever its sizes."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, operations
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
def test_known_sizes(function: Any) -> None:
    assert_computes(function, torch.randn(4, 4))


def test_sizes_of_the_call() -> None:
    def function(x: Tensor) -> Tensor:
        rows = x.shape[0]
        seen = torch.ones(rows, rows, dtype=torch.bool).tril()
        return x.masked_fill(~seen, float("-inf")) + torch.arange(rows) + torch.full((rows, 1), 7)

    n = Dim("n", min=2, max=12)
    others = [(torch.randn(size, size),) for size in (2, 12)]
    assert_computes(function, torch.randn(5, 5), dynamic_shapes=({0: n, 1: n},), others=others)


def test_numbers_are_part_of_the_map_that_reads_them() -> None:
    made = operations(lambda x: torch.where(x > 0, 1.0, -1.0), torch.randn(3))
    assert [type(each).__name__ for each in made] == ["Map"]


def test_a_range_of_unknown_length_is_left_to_kernels() -> None:
    program = lowered(
        lambda x: x[0] + torch.arange(x.shape[0]), [torch.arange(5)], ({0: Dim("n", min=2, max=1 << 20)},)
    )
    assert get_non_lowered_nodes(program.graph)


def test_slices_from_a_number_of_the_call() -> None:
    def function(x: Tensor, n: int) -> Tensor:
        torch._check(n >= 0)
        torch._check(n <= 6)
        return x[:, n : n + 3] * 2

    x = torch.randn(2, 9)
    assert_computes(function, x, 2, dynamic_shapes=(None, Dim.DYNAMIC), others=[(x, 0), (x, 6)])
