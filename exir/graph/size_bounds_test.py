"""Tests of upper bounds of symbolic sizes."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir.graph.size_bounds import constraint_bound


class _ResizedModule(nn.Module):
    def __init__(self, size: Callable[[int, int], int]) -> None:
        super().__init__()
        self.size = size

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros(self.size(*x.shape))


@pytest.mark.parametrize(
    "size, expected",
    [
        (lambda n, m: n * m + 1, 25),
        (lambda n, m: 100 // n, 100),
        (lambda n, m: -(-100 // (2 * n * m)) * n * m, 25 * 24),
        (lambda n, m: 100 // n + 24 // m, 112),
        (lambda n, m: m * (100 // m) + n, 106),
        (lambda n, m: 200 - m * m * (10 // m), 192),
    ],
)
def test_size_bound_ignores_division_by_zero(size: Callable[[int, int], int], expected: int) -> None:
    dynamic = {0: Dim("n", min=0, max=6), 1: Dim("m", min=2, max=4)}
    program = export(_ResizedModule(size), (torch.zeros(3, 3),), dynamic_shapes=(dynamic,))
    (result,) = program.graph.output_node().args[0]
    assert constraint_bound(program.range_constraints)(result.meta["val"].shape[0]) == expected


class _PaddedLinear(nn.Module):
    def __init__(self, width: int, pad: Callable[[Tensor, int], int]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width, 2))
        self.pad = pad

    def forward(self, x: Tensor, n: int) -> Tensor:
        padded = nn.functional.pad(x, (0, self.pad(x, n)))
        return torch.cat([padded @ self.weight, padded], -1)


@pytest.mark.parametrize(
    "width, pad", [(13, lambda x, n: 2 * (n % 3)), (16, lambda x, n: n + x.shape[0] % 3 - 1)]
)
def test_size_bound_uses_equality_guards(width: int, pad: Callable[[Tensor, int], int]) -> None:
    shapes = ({0: Dim("rows", min=2, max=9)}, Dim.DYNAMIC(min=1, max=90))
    program = export(_PaddedLinear(width, pad), (torch.zeros(5, 11), 4), dynamic_shapes=shapes)
    (padded,) = program.graph.find_nodes(op="call_function", target=torch.ops.aten.pad.default)
    (result,) = program.graph.output_node().args[0]
    bound = constraint_bound(program.range_constraints)
    assert bound(padded.meta["val"].shape[1]) == width
    assert bound(result.meta["val"].shape[1]) == width + 2
