"""Converts symbolic sizes to integers for memory planning."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import sympy
import torch
from torch.utils._sympy.functions import CleanDiv, FloorDiv, Min, Mod
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from exir.graph.symbols import rising_line_of

MAX_SIZE = 2**31 - 1
"""The largest size that a program file can store. Torch's bound for unknown sizes is 2 ** 63."""

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1

# Maps a size to an integer; None if it has no bound.
Bound: TypeAlias = Callable[[int | torch.SymInt], int | None]


def constraint_bound(ranges: Mapping[sympy.Symbol, ValueRanges]) -> Bound:
    """Return a function that computes the largest value of a size.

    `ranges` contains the inclusive range of each symbol. If the computation of a size divides by zero
    at the lower end of a range, the bound ignores that end. If torch.export has guarded a term of the
    size by an equality, the bound uses the guarded value.
    """
    known = dict(ranges)

    def bound(size: int | torch.SymInt) -> int | None:
        if not isinstance(size, torch.SymInt):
            return size
        expression = bounded_expression(size)
        upper = _upper_bound(expression, known)
        return (
            _upper_bound(expression, _without_zero_divisors(expression, known))
            if upper is None
            else upper
        )

    return bound


def bounded_expression(size: torch.SymInt) -> sympy.Expr:
    """Return the expression of a size, with bounds that its operations do not imply.

    `Min(term, bound)` replaces each term that has such a bound. For valid inputs, it equals the term.
    """
    expression = size.node.expr
    bounds = _guarded_values(size) | _divided_values(expression)
    return expression.subs({term: Min(term, bound) for term, bound in bounds.items()})


def _guarded_values(size: torch.SymInt) -> dict[sympy.Expr, sympy.Expr]:
    """Return the terms of sizes that guards fix to one value, and these values.

    A guard has the form `factor * term + addend == constant`, and its term is a function call, such
    as the modulo in `n % 3 + 11 == 12`. Sums and products of symbols are not included: a view can
    have the same number of elements with other sizes, so its bound would differ.
    """
    values = {}
    for guard in size.node.shape_env.guards:
        if not isinstance(guard.expr, sympy.Eq) or not guard.expr.rhs.is_Integer:
            continue
        addend, product = guard.expr.lhs.as_coeff_Add()
        factor, term = product.as_coeff_Mul()
        if term.is_Function:
            values[term] = (guard.expr.rhs - addend) / factor
    return _divisors(values) | values


def _divisors(values: Mapping[sympy.Expr, sympy.Expr]) -> dict[sympy.Expr, sympy.Expr]:
    """Return terms such as `n // (n // 12)`, which are 12 if `n % 12 == 0`.

    Such a term is the size 12 of `x.view(-1, 12)`. torch.export does not always record its value.
    """
    return {
        FloorDiv(dividend, FloorDiv(dividend, divisor)): divisor
        for dividend, divisor in (
            term.args for term in values if isinstance(term, Mod) and values[term] == 0
        )
        if divisor.is_Integer
    }


def _divided_values(expression: sympy.Expr) -> dict[sympy.Expr, sympy.Expr]:
    """Return terms such as `n * (8 // n)`, and their bounds, such as 8."""
    divisions = expression.atoms(FloorDiv, CleanDiv)
    return {
        division.args[1] * division: division.args[0]
        for division in divisions
        if division.args[1].is_positive
    }


def _upper_bound(expression: sympy.Expr, ranges: Mapping[sympy.Symbol, ValueRanges]) -> int | None:
    return finite_upper(bound_sympy(expression, dict(ranges)))


def finite_upper(bounds: ValueRanges) -> int | None:
    """Return the upper bound, or None if it is infinite.

    The attribute `is_finite` of torch's `int_oo` is true.
    """
    return None if bounds.upper in (int_oo, sympy.oo) else int(bounds.upper)


def _without_zero_divisors(
    expression: sympy.Expr, ranges: Mapping[sympy.Symbol, ValueRanges]
) -> dict[sympy.Symbol, ValueRanges]:
    """Return `ranges` with a minimum of 1 instead of 0 for factors of divisors."""
    factors = {
        factor
        for division in expression.atoms(FloorDiv, CleanDiv)
        for factor in sympy.Mul.make_args(division.args[1])
        if factor in ranges and ranges[factor].lower == 0 and ranges[factor].upper >= 1
    }
    return {**ranges, **{factor: ValueRanges(1, ranges[factor].upper) for factor in factors}}


def symbol_limits(symbol: sympy.Symbol, ranges: Mapping[sympy.Expr, ValueRanges]) -> tuple[int, int]:
    """Return the bounds of `symbol` that all of `ranges` allow.

    If a Dim is used only within an expression, torch.export stores the bounds of that expression, and
    those of the symbol start at 2.
    """
    known = ranges.get(symbol)
    low, high = (
        (clamp_bound(known.lower), clamp_bound(known.upper)) if known is not None else (0, _HIGHEST)
    )
    for expr, bounds in ranges.items():
        line = rising_line_of(expr)
        if line is not None and line[0] == symbol:
            _, factor, offset = line
            low = min(low, -((offset - clamp_bound(bounds.lower)) // factor))
            high = min(high, (clamp_bound(bounds.upper) - offset) // factor)
    return low, high


def clamp_bound(bound: sympy.Expr) -> int:
    """Clamp a bound to 64 bits."""
    if not bound.is_Integer:
        return _LOWEST if bound.is_negative else _HIGHEST
    return max(min(int(bound), _HIGHEST), _LOWEST)


def hint_bound(size: int | torch.SymInt) -> int | None:
    """Return the value of a size for the example inputs."""
    if not isinstance(size, torch.SymInt):
        return size
    return int(size.node.hint) if size.node.has_hint() else None
