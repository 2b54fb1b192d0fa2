"""Tests of bounds of symbolic sizes and of symbols."""

from collections.abc import Callable

import pytest
import sympy
import torch
from torch import Tensor, nn
from torch.export import Dim, export
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from exir.graph.size_bounds import constraint_bound, symbol_limits


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
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width, 2))

    def forward(self, x: Tensor, n: int) -> Tensor:
        padded = nn.functional.pad(x, (0, 2 * (n % 3)))
        return torch.cat([padded @ self.weight, padded], -1)


def test_size_bound_uses_equality_guards() -> None:
    shapes = (None, Dim.DYNAMIC(min=1, max=90))
    program = export(_PaddedLinear(13), (torch.zeros(5, 11), 4), dynamic_shapes=shapes)
    (padded,) = program.graph.find_nodes(op="call_function", target=torch.ops.aten.pad.default)
    (result,) = program.graph.output_node().args[0]
    bound = constraint_bound(program.range_constraints)
    assert bound(padded.meta["val"].shape[1]) == 13
    assert bound(result.meta["val"].shape[1]) == 15


def test_divisor_of_a_view_is_bounded_by_its_size() -> None:
    def columns(n: int, m: int) -> int:
        torch._check(5 * n % 12 == 0)
        return 5 * n // (5 * n // 12) * m

    shapes = {0: Dim.DYNAMIC(min=2, max=48)}
    program = export(_ResizedModule(columns), (torch.zeros(24, 3),), dynamic_shapes=(shapes,))
    (result,) = program.graph.output_node().args[0]
    assert constraint_bound(program.range_constraints)(result.meta["val"].shape[0]) == 36


_N, _M = sympy.symbols("n m", integer=True, positive=True)


@pytest.mark.parametrize(
    ("size", "bounds", "expected"),
    [
        (3 * _N, (4, 11), (2, 3)),
        (3 * _N, (3, 12), (1, 4)),
        (3 * _N + 2, (4, 13), (1, 3)),
        (3 * _N + 2, (2, 14), (0, 4)),
        (3 * _M, (0, 6), (5, 9)),
        (_N + _M, (0, 6), (5, 9)),
    ],
)
def test_bounds_of_a_multiple_limit_its_symbol(
    size: sympy.Expr, bounds: tuple[int, int], expected: tuple[int, int]
) -> None:
    ranges = {_N: ValueRanges(5, 9), size: ValueRanges(*bounds)}
    assert symbol_limits(_N, ranges) == expected


def test_symbol_without_a_range_is_limited_to_64_bits() -> None:
    assert symbol_limits(_N, {}) == (0, 2**63 - 1)
    assert symbol_limits(_N, {_N: ValueRanges(-int_oo, int_oo)}) == (-(2**63), 2**63 - 1)
