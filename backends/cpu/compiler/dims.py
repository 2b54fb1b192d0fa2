"""Sizes of tensors: integers, or expressions over input sizes and integer inputs."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

import sympy
import torch
from torch.utils._sympy import functions
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from exir.graph.size_bounds import bounded_expression

Dim: TypeAlias = int | Any  # Any: a SymPy expression

_REMAINDERS = (functions.Mod, functions.PythonMod)
_DIVISIONS = (functions.FloorDiv, *_REMAINDERS)
_LARGEST = 2**32 - 1  # largest word of a payload
_MOST_SYMBOLS = 4  # maximum number of symbols whose bounds are combined (16 combinations)


def dim_of(size: int | torch.SymInt) -> Dim:
    """Return a size of a tensor as a dim, which is an integer if the size is static.

    Its upper bound is the size that the memory plan assumes. If inputs violate a guard of
    torch.export, the ops of the delegate reject the resulting sizes.
    """
    return _plain(bounded_expression(size)) if isinstance(size, torch.SymInt) else size


def guarded_value(dim: Dim) -> Dim:
    """Return `dim` with each `Min(integer, ...)` replaced by the integer.

    Shape checks use it to compare a size that a guard fixes, such as `Min(12, n % 3 + 11)`, with a
    static size. `dim_of` adds such bounds.
    """
    if isinstance(dim, int):
        return dim
    return _plain(dim.replace(_is_bounded, lambda least: min(arg for arg in least.args if arg.is_Integer)))


def _is_bounded(expression: Any) -> bool:
    return isinstance(expression, functions.Min) and any(arg.is_Integer for arg in expression.args)


def dims_of(tensor: torch.Tensor) -> tuple[Dim, ...]:
    """Return the sizes of `tensor`."""
    return tuple(dim_of(size) for size in tensor.shape)


def product(dims: Sequence[Dim]) -> Dim:
    """Return the number of elements of a tensor with these sizes."""
    return _plain(reduce(lambda left, right: left * right, dims, 1))


def _plain(expression: Any) -> Dim:
    return int(expression) if isinstance(expression, int) or expression.is_Integer else expression


def _negated_minimum(product_: Any) -> Any | None:
    """Return c * Max(-a, -b) for -c * Min(a, b), or None for other products."""
    least = next((factor for factor in product_.args if isinstance(factor, functions.Min)), None)
    return None if least is None else -product_ / least * functions.Max(*(-arg for arg in least.args))


def _parts(dim: Dim) -> list[Dim]:
    """Return the operands of `dim` in the table of dims.

    Terms of a sum are returned without their signs.
    """
    if isinstance(dim, int):
        return []
    return [-part if dim.is_Add and part.could_extract_minus_sign() else part for part in dim.args]


class Bounds:
    """Bounds of sizes, derived from the ranges of their symbols."""

    def __init__(self, ranges: Mapping[Any, ValueRanges]) -> None:
        self._ranges = dict(ranges)

    def maximum(self, dim: Dim) -> int | None:
        """Return the largest value of `dim`, or None if it has no upper bound.

        A bound above the largest word of a payload also counts as unbounded, because torch.export
        sets the bound of unbounded data-dependent sizes to the int64 maximum.
        """
        if isinstance(dim, int):
            return dim
        upper = bound_sympy(dim, self._ranges).upper
        return None if upper in (int_oo, sympy.oo) or upper > _LARGEST else int(upper)

    def minimum(self, dim: Dim) -> int:
        """Return the smallest value of `dim`, or -1 if `dim` has no lower bound."""
        if isinstance(dim, int):
            return dim
        lower = bound_sympy(dim, self._ranges).lower
        return -1 if lower in (-int_oo, -sympy.oo) else int(lower)

    def without_negative_parts(self, dim: Dim) -> Dim:
        """Return an equivalent expression whose parts are negative only if `dim` is.

        Payloads cannot store negative values, so `Max(0, n - 3)` becomes `Max(3, n) - 3`. The
        positive terms of a sum are added first; then the negative terms are subtracted.
        """
        if isinstance(dim, int) or not dim.args:
            return dim
        args = [self.without_negative_parts(each) for each in dim.args]
        equal = dim if args == list(dim.args) else dim.func(*args)
        if equal.is_Mul and equal.could_extract_minus_sign():
            negated = _negated_minimum(equal)
            return sympy.expand_mul(equal, deep=False) if negated is None else self.without_negative_parts(negated)
        if equal.func is not functions.Max and equal.func not in _DIVISIONS:
            return equal
        lowest = min(self.minimum(each) for each in args)
        if lowest >= 0:
            return equal
        if equal.func is functions.Max:
            return functions.Max(*(each - lowest for each in args)) + lowest
        divisor: Any = args[1]
        least = self.minimum(divisor)
        if least <= 0:
            return equal
        quotient = -(lowest // least)
        shifted = equal.func(args[0] + quotient * divisor, divisor)
        return shifted if equal.func in _REMAINDERS else shifted - quotient

    def at_ends(self, dims: Sequence[Dim]) -> Iterator[tuple[int, ...]]:
        """Yield the values of `dims` for all combinations of the bounds of their symbols.

        If there are more than four symbols, only four are varied. The others are at their minimum.
        """
        symbols = sorted(set().union(*(sympy.sympify(dim).free_symbols for dim in dims)), key=str)
        smallest = [(self.minimum(each),) for each in symbols[_MOST_SYMBOLS:]]
        ends = [(self.minimum(each), self.maximum(each) or _LARGEST) for each in symbols[:_MOST_SYMBOLS]]
        for corner in itertools.product(*ends, *smallest):
            values = dict(zip(symbols, corner, strict=True))
            yield tuple(int(sympy.sympify(dim).subs(values)) for dim in dims)

    def least(self, dims: Sequence[Dim]) -> int:
        """Return the number of elements of a tensor with the smallest values of `dims`."""
        return int(product([max(self.minimum(dim), 0) for dim in dims]))

    def holds(self, dim: Dim) -> bool:
        """Return whether `dim` and all its operands are bounded and never negative."""
        return self.maximum(dim) is not None and self.minimum(dim) >= 0 and all(map(self.holds, _parts(dim)))

    def most(self, dims: Sequence[Dim]) -> int:
        """Return the number of elements of a tensor with the largest values of `dims`.

        Each size must have an upper bound.
        """
        sizes = [self.maximum(dim) for dim in dims]
        assert None not in sizes, "lowering requires bounded sizes"
        return int(product([size for size in sizes if size is not None]))
