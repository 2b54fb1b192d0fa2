"""The table of dims of a payload.

Dims are integer expressions over input sizes and integer inputs.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from typing import Any

import sympy
from torch.utils._sympy import functions

from backends.cpu.compiler.dims import Bounds, Dim
from backends.cpu.schema.payload_tables import DimEntry, DimOp
from exir.error import UnsupportedOperatorError

_BINARY = {
    functions.FloorDiv: DimOp.FLOORDIV,
    functions.CleanDiv: DimOp.FLOORDIV,
    functions.Mod: DimOp.MOD,
    functions.PythonMod: DimOp.MOD,
}
_FOLDED = {
    functions.Min: (DimOp.MIN, functions.Min),
    functions.Max: (DimOp.MAX, functions.Max),
    sympy.Mul: (DimOp.MUL, sympy.Mul),
}


def can_compute(dim: Dim) -> bool:
    """Return whether the table has operations for `dim`. Fractions are not supported."""
    if isinstance(dim, (int, sympy.Symbol)) or dim.is_Integer:
        return True
    is_power = isinstance(dim, sympy.Pow) and dim.exp.is_Integer and dim.exp > 0
    is_known = is_power or type(dim) in (sympy.Add, *_BINARY, *_FOLDED)
    return is_known and all(map(can_compute, dim.args))


class DimTable:
    """Builds the table. Equal expressions share an entry.

    arguments: the sizes of each tensor argument, and integer arguments.
    """

    def __init__(self, bounds: Bounds, arguments: Sequence[tuple[Dim, ...] | Dim]) -> None:
        self.entries: list[DimEntry] = []
        self._bounds = bounds
        self._ids: dict[Any, int] = {}
        self._sources: dict[Any, tuple[DimOp, int, int]] = dict(_sources(bounds, arguments))

    def add(self, dim: Dim) -> int:
        """Return the index of the entry for `dim`.

        Raises `UnsupportedOperatorError` if no entry can compute it.
        """
        if dim not in self._ids:
            self._ids[dim] = self._new(dim)
        return self._ids[dim]

    def _new(self, dim: Dim) -> int:
        if isinstance(dim, int) or dim.is_Integer:
            return self._append(DimOp.CONST, int(dim), 0, self._maximum(int(dim)))
        if dim in self._sources and not self._follows(dim):
            return self._append(*self._sources[dim], self._maximum(dim))
        if isinstance(dim, sympy.Symbol):
            return self._solved(dim)
        equal = self._bounds.without_negative_parts(dim)
        return self._computed(dim) if equal == dim else self.add(equal)

    def _follows(self, dim: Any) -> bool:
        """Return whether `dim` can be computed from argument sizes that are symbols.

        Such a dim is computed, not read from an argument, so that a call with inconsistent sizes
        fails.
        """
        return not dim.is_Symbol and can_compute(dim) and self._has_all_symbols(dim)

    def _has_all_symbols(self, dim: Any) -> bool:
        return all(symbol in self._sources for symbol in dim.free_symbols)

    def _computed(self, dim: Any) -> int:
        kind = type(dim)
        if kind in (sympy.Add, sympy.Mul, functions.Min) and not self._has_all_symbols(dim):
            found = self._shifted(dim)
            found = self._multiple(dim) if found is None else found
            if found is not None:
                return found
        if kind is sympy.Add:
            return self._sum(dim)
        if kind in _BINARY:
            if not self._has_all_symbols(dim) and (found := self._found(dim)) is not None:
                return found
            return self._apply(_BINARY[kind], dim, *dim.args)
        if kind is sympy.Mul and not dim.as_coeff_Mul()[0].is_Integer:
            equal = sympy.expand_mul(dim, deep=False)  # n * (6 * m + 6) / 6
            if equal != dim:
                return self.add(equal)
        if kind in _FOLDED:
            op, whole = _FOLDED[kind]
            return self._fold(op, whole, _in_order(dim.args))
        if kind is sympy.Pow and dim.exp.is_Integer and dim.exp > 0:
            return self._fold(DimOp.MUL, sympy.Mul, [dim.base] * int(dim.exp))
        raise UnsupportedOperatorError(f"the cpu backend does not support the size {dim}")

    def _shifted(self, dim: Any) -> int | None:
        """Return the entry of `dim` if it is a known size plus a term, or None.

        The term is an integer, or an expression of symbols that are sizes of arguments. Examples
        for an argument of size s - n are s - n + 2, and s if another argument has the size n.
        """
        for expression in self._known():
            term = dim - self._bounds.without_negative_parts(expression)
            if term.is_Integer or self._is_computable(term):
                op = DimOp.SUB if term.is_negative else DimOp.ADD
                return self._apply(op, dim, expression, abs(term) if term.is_Integer else term)
        return None

    def _is_computable(self, term: Any) -> bool:
        return self._has_all_symbols(term) and can_compute(term) and self._bounds.minimum(term) >= 0

    def _multiple(self, dim: Any) -> int | None:
        """Return the entry of a multiple of a known size plus a term, or None.

        The factor and the term are integers or expressions of symbols that are sizes of arguments.
        Examples are 3*s - 3*n, a multiple of s - n, and 2*s - 2*n + 1.
        """
        for expression in self._known():
            if isinstance(expression, int) or expression.is_Symbol or expression.is_Integer:
                continue
            factor, term = _divided(dim, expression)
            size = abs(term) if term.is_Integer else term
            if factor == 0 or not (self._is_computable(factor) and self._is_computable(size)):
                continue
            if term == 0:
                return self._apply(DimOp.MUL, dim, expression, factor)
            op = DimOp.SUB if term.is_negative else DimOp.ADD
            return self._apply(op, dim, expression * factor, size)
        return None

    def _known(self) -> list[Any]:
        """Return the sizes of arguments and the sizes that the table computes from them."""
        computed = [dim for dim in self._ids if not isinstance(dim, int) and not self._has_all_symbols(dim)]
        return [*self._sources, *(dim for dim in computed if dim not in self._sources)]

    def _sum(self, dim: Any) -> int:
        """Add the positive terms first.

        Partial sums are then negative only if the sum is.
        """
        terms = _in_order(dim.args)
        taken = [-term for term in terms if term.could_extract_minus_sign()]
        added = [term for term in terms if not term.could_extract_minus_sign()]
        total = sympy.Add(*added)
        index = self._fold(DimOp.ADD, sympy.Add, added)
        for term in taken:
            total = total - term
            index = self._remember(total, DimOp.SUB, index, self.add(term))
        return index

    def _fold(self, op: DimOp, whole: Callable[..., Any], terms: Sequence[Any]) -> int:
        return self.add(reduce(partial(self._combine, op, whole), terms))

    def _combine(self, op: DimOp, whole: Callable[..., Any], left: Any, right: Any) -> Any:
        both = whole(left, right)
        self._remember(both, op, self.add(left), self.add(right))
        return both

    def _apply(self, op: DimOp, dim: Any, left: Any, right: Any) -> int:
        return self._append(op, self.add(left), self.add(right), self._maximum(dim))

    def _solved(self, symbol: Any) -> int:
        """Return the entry of a symbol that is not the size of an argument."""
        found = self._found(symbol)
        if found is None:
            raise UnsupportedOperatorError(
                f"no argument of the cpu delegate determines the size {symbol}; make the size static, or compile"
                " the model without the cpu backend"
            )
        return found

    def _found(self, part: Any) -> int | None:
        """Return the entry that computes `part` from an argument's size, or None.

        The size must be factor * part + offset.
        """
        for expression in self._sources:
            factor, offset = _line(expression, part)
            if factor:
                whole = self._append(*self._sources[expression], self._maximum(expression))
                op = DimOp.SUB if offset >= 0 else DimOp.ADD
                multiple = self._append(op, whole, self.add(abs(offset)), self._maximum(expression - offset))
                return self._append(DimOp.FLOORDIV, multiple, self.add(factor), self._maximum(part))
        return None

    def _remember(self, dim: Any, op: DimOp, left: int, right: int) -> int:
        if dim not in self._ids:
            self._ids[dim] = self._append(op, left, right, self._maximum(dim))
        return self._ids[dim]

    def _append(self, op: DimOp, a: int, b: int, maximum: int) -> int:
        self.entries.append(DimEntry(op, a, b, maximum))
        return len(self.entries) - 1

    def _maximum(self, dim: Any) -> int:
        """Return the largest value of `dim`, which may be a part of a bounded size."""
        maximum = self._bounds.maximum(dim)
        if maximum is not None and maximum < 0:
            raise UnsupportedOperatorError(f"the cpu backend does not support the negative size {dim}")
        if maximum is None:
            raise UnsupportedOperatorError(f"the cpu backend needs an upper bound for the size {dim}; declare one")
        return maximum


def _line(expression: Any, part: Any) -> tuple[int, int]:
    """Return (factor, offset) if `expression` is factor * part + offset.

    Return (0, 0) for other expressions, or if factor <= 0.
    """
    place = sympy.Dummy(integer=True)
    line = expression.xreplace({part: place})
    if line.free_symbols != {place} or not line.is_polynomial(place):
        return 0, 0
    numbers = sympy.Poly(line, place).all_coeffs()
    if len(numbers) != 2 or numbers[0] < 0 or not all(each.is_Integer for each in numbers):
        return 0, 0
    return int(numbers[0]), int(numbers[1])


def _divided(dim: Any, divisor: Any) -> tuple[Any, Any]:
    """Return the quotient and the remainder of two polynomials.

    Their variables are symbols and calls of functions.

    Return (0, dim) for other expressions.
    """
    try:
        (quotient,), remainder = sympy.reduced(dim, [divisor])
    except sympy.PolynomialError:
        return sympy.S.Zero, dim
    return quotient, remainder


def _sources(
    bounds: Bounds, arguments: Sequence[tuple[Dim, ...] | Dim]
) -> Iterable[tuple[Any, tuple[DimOp, int, int]]]:
    """Return the first source of each dim.

    A source is an integer argument or a size of a tensor argument. Integer arguments that can be negative are excluded, because a dim cannot be negative.
    """
    found: dict[Any, tuple[DimOp, int, int]] = {}
    for index, argument in enumerate(arguments):
        if isinstance(argument, tuple):
            for number, dim in enumerate(argument):
                found.setdefault(dim, (DimOp.SIZE, index, number))
        elif bounds.minimum(argument) >= 0 and bounds.maximum(argument) is not None:
            found.setdefault(argument, (DimOp.INT, index, 0))
    return [(dim, source) for dim, source in found.items() if not isinstance(dim, int)]


def _in_order(terms: Iterable[Any]) -> list[Any]:
    return sorted(terms, key=str)
