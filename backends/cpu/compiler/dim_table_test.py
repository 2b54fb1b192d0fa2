"""Tests that the table of dims computes sizes from the arguments of a call."""

import pytest
import sympy
import torch
from torch.utils._sympy import functions
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from backends.cpu.compiler.dim_table import DimTable
from backends.cpu.compiler.dims import Bounds, Dim
from backends.cpu.compiler.testing.interpreter import dim_values
from backends.cpu.schema.payload_tables import DimEntry, DimOp
from exir.error import UnsupportedOperatorError

_N = sympy.Symbol("n", integer=True, positive=True)
_BOUNDS = Bounds({_N: ValueRanges(2, 9)})


def test_each_integer_and_argument_size_has_one_entry() -> None:
    table = DimTable(_BOUNDS, [(3, _N)])
    assert [table.add(dim) for dim in (3, _N, 3, _N)] == [0, 1, 0, 1]
    assert table.entries == [DimEntry(DimOp.CONST, 3, 0, 3), DimEntry(DimOp.SIZE, 0, 1, 9)]


@pytest.mark.parametrize(
    "expression",
    [
        _N + 3,
        _N * _N * 4,
        10 - _N,
        functions.FloorDiv(_N - 1, 2) + 1,
        functions.Mod(_N, 4),
        functions.Max(_N, 5),
        functions.Min(3, _N + 1),
    ],
)
@pytest.mark.parametrize("n", [2, 9])
def test_expressions_are_computed_from_their_parts(expression: sympy.Expr, n: int) -> None:
    table = DimTable(_BOUNDS, [(_N,)])
    found = table.add(expression)
    values = dim_values(table.entries, [torch.zeros(n)])
    assert values[found] == expression.subs(_N, n)


@pytest.mark.parametrize(
    "expression",
    [
        functions.Max(0, _N - 5),
        functions.Max(_N - 7, functions.FloorDiv(_N, 2) - 3, 0) + 1,
        _N + functions.Max(0, _N - 5) + 1,
        functions.FloorDiv(_N - 5, 2) + 2,
        functions.FloorDiv(_N - 7, 3) * 2 + 4,
        functions.PythonMod(_N - 6, 4),
        functions.FloorDiv(functions.Max(0, _N - 4) - 3, 2) + 5,
        -16 * _N * functions.FloorDiv(-1, 16 * _N),
        -functions.FloorDiv(-7, _N) + 1,
        functions.PythonMod(-7, _N),
        -functions.Min(-1, 5 - _N),
        -3 * _N * functions.Min(-1, 16 * _N * functions.FloorDiv(-1, 16 * _N)),
        9 - 2 * functions.Min(-1, 5 - _N),
        _N * (6 * functions.FloorDiv(_N + 1, 2) + 6) / 6,
    ],
)
@pytest.mark.parametrize("n", range(2, 10))
def test_parts_of_sizes_are_not_negative(expression: sympy.Expr, n: int) -> None:
    table = DimTable(_BOUNDS, [(_N,)])
    found = table.add(expression)
    values = dim_values(table.entries, [torch.zeros(n)])
    assert values[found] == expression.subs(_N, n)
    assert all(0 <= value <= entry.maximum for value, entry in zip(values, table.entries, strict=True))


def test_symbol_is_derived_from_an_argument_size_that_is_a_multiple() -> None:
    table = DimTable(_BOUNDS, [(2 * _N + 1,)])
    found = table.add(_N)
    assert dim_values(table.entries, [torch.zeros(11)])[found] == 5


_HALF = functions.FloorDiv(_N, 2)


@pytest.mark.parametrize("size", [_HALF - 1, _HALF + 2, 3 * _HALF, functions.Mod(_N, 4) + 1])
@pytest.mark.parametrize("factor", [1, 6])
def test_multiple_of_an_argument_size_is_computed_without_the_symbol(size: sympy.Expr, factor: int) -> None:
    table = DimTable(_BOUNDS, [(size,)])
    found = table.add(sympy.expand(factor * size))
    told = int(size.subs(_N, 7))
    assert dim_values(table.entries, [torch.zeros(told)])[found] == factor * told


@pytest.mark.parametrize("size", [_N + 1, 2 * _N, functions.FloorDiv(_N, 2)])
def test_dims_are_computed_from_argument_sizes_that_are_symbols(size: sympy.Expr) -> None:
    table = DimTable(_BOUNDS, [(size,), (_N,)])
    found = table.add(size)
    assert dim_values(table.entries, [torch.zeros(9), torch.zeros(7)])[found] == int(size.subs(_N, 7))


_PADDED = _N + functions.Max(0, _N - 3) + 1


@pytest.mark.parametrize(
    "size",
    [_PADDED, _PADDED + 4, _PADDED - 1, functions.FloorDiv(_PADDED - 3, 2) + 1, 7 * functions.Max(_PADDED + 2, 8)],
)
def test_sizes_are_computed_from_an_argument_size_whose_symbol_is_unknown(size: sympy.Expr) -> None:
    table = DimTable(_BOUNDS, [(_PADDED,)])
    found = table.add(size)
    for n in (2, 9):
        given = torch.zeros(int(_PADDED.subs(_N, n)))
        assert dim_values(table.entries, [given])[found] == int(size.subs(_N, n))


def test_an_integer_argument_is_a_size() -> None:
    table = DimTable(_BOUNDS, [_N])
    assert table.entries == [] and table.add(_N) == 0
    assert table.entries == [DimEntry(DimOp.INT, 0, 0, 9)]


def test_an_integer_argument_that_can_be_negative_is_not_a_size() -> None:
    with pytest.raises(UnsupportedOperatorError, match="no argument of the cpu delegate determines the size n"):
        DimTable(_BOUNDS, [_N - 3]).add(_N)


def test_size_that_no_argument_determines_is_refused() -> None:
    with pytest.raises(UnsupportedOperatorError, match="no argument of the cpu delegate determines the size n"):
        DimTable(_BOUNDS, []).add(_N)


@pytest.mark.parametrize("factor", [3, _N])
def test_multiples_of_a_difference_are_computed_from_the_difference(factor: Dim) -> None:
    rows = sympy.Symbol("rows", integer=True, positive=True)
    bounds = Bounds({_N: ValueRanges(2, 9), rows: ValueRanges(9, 20)})
    table = DimTable(bounds, [(rows - _N,), (_N,)])
    found = table.add(sympy.expand((rows - _N) * factor))
    values = dim_values(table.entries, [torch.zeros(7), torch.zeros(4)])
    assert values[found] == 7 * (4 if factor is _N else 3)


def test_sizes_are_computed_from_the_parts_of_a_split_size() -> None:
    height, width = sympy.symbols("height width", integer=True, positive=True)
    bounds = Bounds({_N: ValueRanges(0, 9), height: ValueRanges(3, 9), width: ValueRanges(3, 9)})
    whole = height * width
    table = DimTable(bounds, [(whole - _N,), (_N,)])
    found = [table.add(size) for size in (whole, 4 * whole, 4 * whole + 1)]
    values = dim_values(table.entries, [torch.zeros(7), torch.zeros(2)])
    assert [values[index] for index in found] == [9, 36, 37]


@pytest.mark.parametrize("factor", [2, _N])
@pytest.mark.parametrize("offset", [-1, 3, _N])
def test_a_multiple_of_a_sum_is_shifted(factor: Dim, offset: Dim) -> None:
    width, pad = sympy.symbols("width pad", integer=True, positive=True)
    bounds = Bounds({_N: ValueRanges(2, 9), width: ValueRanges(3, 9), pad: ValueRanges(0, 9)})
    table = DimTable(bounds, [(width + pad,), (_N,)])
    found = table.add(sympy.expand((width + pad) * factor) + offset)
    values = dim_values(table.entries, [torch.zeros(7), torch.zeros(4)])
    assert values[found] == 7 * (4 if factor is _N else 2) + (4 if offset is _N else offset)


def test_a_bounded_size_is_computed_from_an_argument_size_larger_by_1() -> None:
    bounded = functions.Min(2, functions.FloorDiv(_N + 3, 2))
    table = DimTable(_BOUNDS, [(bounded + 1,)])
    found = table.add(bounded)
    assert dim_values(table.entries, [torch.zeros(3)])[found] == 2


def test_a_part_without_an_upper_bound_is_rejected() -> None:
    size = sympy.Symbol("n", integer=True, nonnegative=True)
    table = DimTable(Bounds({size: ValueRanges(0, int_oo)}), [(size,)])
    with pytest.raises(UnsupportedOperatorError, match="needs an upper bound for the size"):
        table.add(size + 1)


@pytest.mark.parametrize("part", [-1, functions.Min(-1, 5 - _N)])
def test_a_negative_part_is_rejected(part: Dim) -> None:
    table = DimTable(_BOUNDS, [(_N,)])
    with pytest.raises(UnsupportedOperatorError, match="does not support the negative size"):
        table.add(part)
