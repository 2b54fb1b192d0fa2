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
    ],
)
def test_size_bound_ignores_division_by_zero(size: Callable[[int, int], int], expected: int) -> None:
    dynamic = {0: Dim("n", min=0, max=6), 1: Dim("m", min=2, max=4)}
    program = export(_ResizedModule(size), (torch.zeros(3, 3),), dynamic_shapes=(dynamic,))
    (result,) = program.graph.output_node().args[0]
    assert constraint_bound(program.range_constraints)(result.meta["val"].shape[0]) == expected
