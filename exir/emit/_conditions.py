"""Encodes conditions over sizes of inputs for `ContainerMetadata.conditions`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean
from sympy.printing.str import StrPrinter
from torch.fx import Node
from torch.utils._sympy import functions

from exir.emit._rationals import as_integers
from exir.graph.symbols import example_values, line_of, symbolic_sizes
from exir.inspection.ranges import NUMBER

_CONSTANT, _SIZE, _ADD, _MULTIPLY, _FLOOR_DIVIDE = range(5)
_MAX_DEPTH = 16
_MAX_TEXT = 110


@dataclass(frozen=True)
class _Code:
    """An expression in postfix order, and as text.

    depth: operands that are pending at most. is_atom: the text needs no parentheses.
    """

    tokens: tuple[int, ...]
    text: str
    depth: int = 1
    is_atom: bool = True

    @property
    def operand(self) -> str:
        return self.text if self.is_atom else f"({self.text})"


class _UnsupportedConditionError(Exception):
    """An expression has no code."""


@dataclass(frozen=True)
class _Operation:
    token: int
    name: str
    is_call: bool = False

    @property
    def is_commutative(self) -> bool:
        return self.name not in ("//", "%", "<", "<=")


_OPERATIONS = {
    sympy.Add: _Operation(_ADD, "+"),
    sympy.Mul: _Operation(_MULTIPLY, "*"),
    functions.FloorDiv: _Operation(_FLOOR_DIVIDE, "//"),
    functions.CleanDiv: _Operation(_FLOOR_DIVIDE, "//"),
    functions.Mod: _Operation(5, "%"),
    functions.PythonMod: _Operation(5, "%"),
    functions.Min: _Operation(6, "min", True),
    functions.Max: _Operation(7, "max", True),
    sympy.Min: _Operation(6, "min", True),
    sympy.Max: _Operation(7, "max", True),
    sympy.Eq: _Operation(8, "=="),
    sympy.Ne: _Operation(9, "!="),
    sympy.Lt: _Operation(10, "<"),
    sympy.Le: _Operation(11, "<="),
    sympy.And: _Operation(12, "and"),
    sympy.Or: _Operation(13, "or"),
}
_SWAPPED = {sympy.Gt: sympy.Lt, sympy.Ge: sympy.Le}
_SWAPPED_NAMES = {sympy.Gt: ">", sympy.Ge: ">="}


@dataclass(frozen=True)
class InputSize:
    """A symbolic size or integer of an input: value index, dimension and name."""

    value: int
    dim: int
    name: str
    expr: sympy.Expr

    @property
    def code(self) -> _Code:
        return _Code((_SIZE, self.value, self.dim), self.name)


def input_sizes(inputs: Sequence[tuple[Node, int]]) -> list[InputSize]:
    """Return the symbolic sizes of inputs: pairs of a node and a value index."""
    return [
        InputSize(index, NUMBER, node.name, size.node.expr)
        if dim is None
        else InputSize(index, dim, f"{node.name}.shape[{dim}]", size.node.expr)
        for node, index in inputs
        for dim, size in symbolic_sizes(node.meta.get("val"))
    ]


@dataclass(frozen=True)
class Conditions:
    """The conditions of a method.

    numbers: `ContainerMetadata.conditions`. texts: the text of each condition.
    unchecked: conditions that have no code, with their texts.
    """

    numbers: list[int]
    texts: list[str]
    unchecked: dict[sympy.Basic, str]


def encode_conditions(conditions: Sequence[Boolean], inputs: Sequence[tuple[Node, int]]) -> Conditions:
    """Encode conditions over sizes of `inputs`.

    Input sizes that depend on other inputs, and whose equality `ContainerMetadata.ranges` cannot
    express, become conditions as well.
    """
    sizes = input_sizes(inputs)
    symbols = _codes_of_symbols(sizes)
    coded: dict[sympy.Basic, _Code | None] = {}
    for size in sizes:
        line = line_of(size.expr)
        if line is None or line[1] <= 0:
            value = _try_encode(size.expr, symbols)
            equality = sympy.Eq(sympy.Symbol(size.name), size.expr, evaluate=False)
            coded[equality] = value and _join(_OPERATIONS[sympy.Eq], size.code, value)
    example = example_values(
        size for node, _ in inputs for _, size in symbolic_sizes(node.meta.get("val"))
    )
    for expr in conditions:
        integers = as_integers(_as_remainder(expr))
        coded[expr] = _try_encode(integers, symbols) if _is_true(integers, example) else None
    unchecked = {
        expr: _Named(symbols).doprint(expr)
        for expr, code in coded.items()
        if code is None or code.depth > _MAX_DEPTH
    }
    codes = {
        code.text: code for expr, code in coded.items() if code is not None and expr not in unchecked
    }
    numbers = [number for code in codes.values() for number in (len(code.tokens), *code.tokens)]
    texts = [text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..." for text in codes]
    return Conditions(numbers, texts, unchecked)


class _Named(StrPrinter):
    """Prints expressions with the names of input sizes."""

    def __init__(self, symbols: Mapping[sympy.Symbol, _Code]) -> None:
        super().__init__()
        self._symbols = symbols

    def _print_Symbol(self, expr: sympy.Symbol) -> str:  # noqa: N802
        return self._symbols[expr].operand if expr in self._symbols else str(expr.name)


def unchecked_note(method: str, condition: str, line: str | None) -> str:
    """Return a note on a condition that calls do not check."""
    where = f" ({line})" if line else ""
    return (
        f"method '{method}': calls do not check that {condition}, which torch.export assumes, as in the "
        f"example; pass only inputs that satisfy it, or compare integers{where}"
    )


def _is_true(condition: sympy.Basic, example: Mapping[sympy.Symbol, int]) -> bool:
    """Return false if a condition is false for the example.

    An equality of floats that the trace found can be false for fractions, which are not rounded.
    """
    return condition.subs(example) != sympy.false


def _as_remainder(condition: Boolean) -> Boolean:
    """Return `n == d * (n // d)`, which views record, as `n % d == 0`."""
    if isinstance(condition, sympy.Eq):
        for quotient in condition.atoms(functions.FloorDiv):
            number, divisor = quotient.args
            remainder = functions.Mod(number, divisor)
            for side, other in (condition.args, reversed(condition.args)):
                factor = sympy.cancel(side / quotient)
                is_nonzero = factor.is_number or factor == divisor
                if is_nonzero and sympy.expand(other * divisor - number * factor) == 0:
                    return sympy.Eq(remainder, 0)
    return condition


def _try_encode(expr: sympy.Basic, symbols: Mapping[sympy.Symbol, _Code]) -> _Code | None:
    try:
        return _encode(expr, symbols)
    except _UnsupportedConditionError:
        return None


def _codes_of_symbols(sizes: Sequence[InputSize]) -> dict[sympy.Symbol, _Code]:
    """Return how to compute each symbol from a size that increases with it."""
    found: dict[sympy.Symbol, _Code] = {}
    lines = [(line, size) for size in sizes if (line := line_of(size.expr)) is not None and line[1] > 0]
    for (symbol, factor, offset), size in sorted(lines, key=lambda pair: pair[0][1:] != (1, 0)):
        code = size.code
        if offset != 0:
            code = _join(_OPERATIONS[sympy.Add], code, _constant(-offset))
        if factor != 1:
            code = _join(_OPERATIONS[functions.FloorDiv], code, _constant(factor))
        found.setdefault(symbol, code)
    return found


def _constant(number: int) -> _Code:
    if not -(2**63) <= number < 2**63:
        raise _UnsupportedConditionError
    return _Code((_CONSTANT, number), str(number))


def _join(operation: _Operation, left: _Code, right: _Code, name: str | None = None) -> _Code:
    first, second = (left, right)
    if operation.is_commutative and right.depth > left.depth:
        # Fewer operands are pending if the deeper one is first.
        first, second = right, left
    depth = max(first.depth, second.depth + 1)
    tokens = (*first.tokens, *second.tokens, operation.token)
    if operation.is_call:
        return _Code(tokens, f"{operation.name}({left.text}, {right.text})", depth)
    name = name or operation.name
    if name == "+" and right.text.startswith("-"):
        return _Code(tokens, f"{left.text} - {right.text[1:]}", depth, False)
    is_sum = name in ("+", "==", "!=", "<", "<=", ">", ">=")
    texts = (left.text, right.text) if is_sum else (left.operand, right.operand)
    return _Code(tokens, f"{texts[0]} {name} {texts[1]}", depth, False)


def _encode(expr: sympy.Basic, symbols: Mapping[sympy.Symbol, _Code]) -> _Code:
    if isinstance(expr, sympy.Not):
        expr = sympy.to_nnf(expr, simplify=False)
    if expr in symbols:
        return symbols[expr]
    if isinstance(expr, functions.ToFloat):
        return _encode(expr.args[0], symbols)
    if expr.is_number and expr == int(expr):
        return _constant(int(expr))
    if isinstance(expr, (sympy.Pow, functions.PowByNatural)) and expr.args[1].is_Integer:
        base, exponent = _encode(expr.args[0], symbols), int(expr.args[1])
        return _fold(_OPERATIONS[sympy.Mul], [base] * exponent) if exponent > 0 else _constant(1)
    kind = type(expr)
    if kind in _SWAPPED:
        left, right = (_encode(argument, symbols) for argument in expr.args)
        swapped = _join(_OPERATIONS[_SWAPPED[kind]], right, left)
        shown = _join(_OPERATIONS[_SWAPPED[kind]], left, right, _SWAPPED_NAMES[kind])
        return _Code(swapped.tokens, shown.text, swapped.depth, False)
    operation = _OPERATIONS.get(kind)
    if operation is None:
        raise _UnsupportedConditionError
    arguments = sorted(expr.args, key=_is_constant) if kind is sympy.Add else expr.args
    return _fold(operation, [_encode(argument, symbols) for argument in arguments])


def _is_constant(expr: sympy.Basic) -> bool:
    return bool(expr.is_number)


def _fold(operation: _Operation, codes: Sequence[_Code]) -> _Code:
    result = codes[0]
    for code in codes[1:]:
        result = _join(operation, result, code)
    return result
