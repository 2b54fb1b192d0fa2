"""Tests of bounds of symbolic sizes and of symbols."""

from collections.abc import Callable

import pytest
import sympy
import torch
from torch import Tensor, nn
from torch.export import Dim, export
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from exir.graph.size_bounds import constraint_bound, finite_upper, symbol_limits


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


def test_division_of_negative_values_has_no_bound_of_its_dividend() -> None:
    size = ShapeEnv().create_unbacked_symint()
    ranges = {size.node.expr: ValueRanges(-4, -1)}
    largest = max(n * (8 // n) for n in range(-4, 0))
    bound = constraint_bound(ranges)(size * (8 // size))
    assert largest > 8
    assert bound is not None and bound >= largest


def test_remainder_other_than_zero_does_not_bound_the_divisor() -> None:
    def columns(n: int, m: int) -> int:
        torch._check(n % 12 == 5)
        return n // (n // 12) * m

    shapes = {0: Dim.DYNAMIC(min=13, max=48)}
    program = export(_ResizedModule(columns), (torch.zeros(29, 3),), dynamic_shapes=(shapes,))
    (result,) = program.graph.output_node().args[0]
    largest = max(columns(n, 3) for n in range(13, 49) if n % 12 == 5)
    bound = constraint_bound(program.range_constraints)(result.meta["val"].shape[0])
    assert largest == 51
    assert bound is not None and bound >= largest


def test_divisor_that_is_always_zero_has_no_bound() -> None:
    size = ShapeEnv().create_unbacked_symint()
    assert constraint_bound({size.node.expr: ValueRanges(0, 0)})(100 // size) is None


@pytest.mark.parametrize(
    "bounds, expected",
    [
        (ValueRanges(0, 7), 7),
        (ValueRanges(0, int_oo), None),
        (ValueRanges(0.5, sympy.oo), None),
    ],
)
def test_infinite_ranges_have_no_upper_bound(bounds: ValueRanges, expected: int | None) -> None:
    assert finite_upper(bounds) == expected


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
