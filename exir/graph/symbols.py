"""Graph nodes that compute symbolic sizes."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any, cast

import sympy
import torch
from torch import SymBool, SymFloat, SymInt
from torch.fx import Graph, Node
from torch.utils._sympy import functions

from exir.dialects.edge import edge_op
from exir.error import NotLocal

# Functions of two operands; more operands are folded from the left.
_FOLDS: dict[Any, Callable[..., Any]] = {
    sympy.Add: operator.add,
    sympy.Mul: operator.mul,
    functions.FloorDiv: operator.floordiv,
    functions.CleanDiv: operator.floordiv,
    functions.Mod: operator.mod,
    functions.PythonMod: operator.mod,
    functions.IntTrueDiv: operator.truediv,
    functions.FloatTrueDiv: operator.truediv,
    functions.FloatPow: operator.pow,
    functions.Max: torch.sym_max,
    functions.Min: torch.sym_min,
    sympy.Eq: operator.eq,
    sympy.Ne: operator.ne,
    sympy.Lt: operator.lt,
    sympy.Le: operator.le,
    sympy.Gt: operator.gt,
    sympy.Ge: operator.ge,
}
# Functions of one operand: conversions between integers and floats.
_CONVERSIONS: dict[Any, Callable[..., Any]] = {
    functions.ToFloat: torch.sym_float,
    functions.TruncToInt: math.trunc,
    functions.FloorToInt: math.floor,
    functions.CeilToInt: math.ceil,
    functions.RoundToInt: round,
}


class SymbolicSizes:
    """Finds or builds the node of a symbolic number or condition in one graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[sympy.Expr, Node] = {}

    def learn(self, node: Node) -> None:
        """Record that `node`, whose `val` may be symbolic, is available."""
        val = node.meta.get("val")
        if isinstance(val, (SymInt, SymFloat, SymBool)):
            self._known.setdefault(val.node.expr, node)

    def node_for(self, size: SymInt | SymFloat | SymBool, tensors: list[Node]) -> Node | float:
        """Return the node or the constant for `size`.

        The value is computed from known sizes, or read from the shape of one of `tensors`. Raises
        `NotLocal` if it cannot be computed.
        """
        return self._build_expression(size.node.expr, tensors)

    def _build_expression(self, expr: sympy.Expr, tensors: list[Node]) -> Node | float:
        if expr in (sympy.true, sympy.false):
            return bool(expr)
        if expr.is_Integer:
            return int(expr)
        if expr.is_number:
            return float(expr)
        if expr not in self._known:
            self._known[expr] = self._find_size(expr, tensors)
        return self._known[expr]

    def _find_size(self, expr: sympy.Expr, tensors: list[Node]) -> Node:
        for find in (
            self._read_off,
            self._read_off_with_offset,
            self._compute_expression,
            self._solve_linear,
        ):
            node = find(expr, tensors)
            if node is not None:
                return node
        raise NotLocal(f"no node computes the size {expr}")

    def _read_off(self, expr: sympy.Expr, tensors: list[Node]) -> Node | None:
        for node in tensors:
            for dim, size in enumerate(node.meta["val"].shape):
                if isinstance(size, SymInt) and size.node.expr == expr:
                    target = edge_op(torch.ops.aten.sym_size.int)
                    return self._append_call(target, (node, dim), size, node)
        return None

    def _compute_expression(self, expr: sympy.Expr, tensors: list[Node]) -> Node | None:
        if type(expr) in _CONVERSIONS:
            return self._convert_term(_CONVERSIONS[type(expr)], expr.args[0], tensors)
        if expr.is_Pow and expr.exp.is_Integer and expr.exp > 1:
            return self._apply_function(operator.mul, [expr.base] * int(expr.exp), tensors)
        function = _FOLDS.get(type(expr))
        return self._apply_function(function, list(expr.args), tensors) if function else None

    def _convert_term(self, function: Callable[..., Any], term: sympy.Expr, tensors: list[Node]) -> Node:
        operand = cast(Node, self._build_expression(term, tensors))
        return self._append_call(function, (operand,), function(operand.meta["val"]), operand)

    def _read_off_with_offset(self, expr: sympy.Expr, tensors: list[Node]) -> Node | None:
        """Build `expr` from a size that differs by a constant, as in convolutions."""
        for node in tensors:
            for size in node.meta["val"].shape:
                offset = expr - size.node.expr if isinstance(size, SymInt) else None
                if offset is not None and offset.is_Integer:
                    base = cast(Node, self._build_expression(size.node.expr, tensors))
                    return self._combine_terms(operator.add, base, int(offset))
        return None

    def _solve_linear(self, expr: sympy.Expr, tensors: list[Node]) -> Node | None:
        """Solve size = factor * symbol + offset for the symbol, as in upsampling."""
        for node in tensors:
            for size in node.meta["val"].shape:
                found = line_of(size.node.expr) if isinstance(size, SymInt) else None
                if found is not None and found[0] == expr:
                    _, factor, offset = found
                    multiple = self._combine_terms(
                        operator.add, self._build_expression(size.node.expr, tensors), -offset
                    )
                    return self._combine_terms(operator.floordiv, multiple, factor)
        return None

    def _apply_function(self, function: Any, terms: list[sympy.Expr], tensors: list[Node]) -> Node:
        operands = [self._build_expression(term, tensors) for term in terms]
        return cast(
            Node, reduce(lambda left, right: self._combine_terms(function, left, right), operands)
        )

    def _combine_terms(self, function: Any, left: Node | float, right: Node | float) -> Node:
        values = [v.meta["val"] if isinstance(v, Node) else v for v in (left, right)]
        source = left if isinstance(left, Node) else cast(Node, right)
        return self._append_call(function, (left, right), function(*values), source)

    def _append_call(self, target: Any, args: tuple[Any, ...], val: Any, source: Node) -> Node:
        node = self._graph.call_function(target, args)
        node.meta = {**source.meta, "val": val}
        return node


def example_values(sizes: Iterable[SymInt]) -> dict[sympy.Symbol, int]:
    """Return the values that the symbols in `sizes` had in the exported example."""
    values = {}
    for size in sizes:
        shape_env = size.node.shape_env
        attribute = "backed_var_to_val" if hasattr(shape_env, "backed_var_to_val") else "var_to_val"
        hints = getattr(shape_env, attribute, {})
        for symbol in sorted(size.node.expr.free_symbols, key=str):
            if symbol in hints:
                values[symbol] = int(hints[symbol])
    return values


def symbolic_sizes(value: object) -> Iterator[tuple[int | None, SymInt]]:
    """Yield the symbolic sizes of a tensor with their dims, or an integer with None."""
    if isinstance(value, SymInt):
        yield None, value
    for dim, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
        if isinstance(size, SymInt):
            yield dim, size


def rising_line_of(expr: sympy.Expr) -> tuple[sympy.Symbol, int, int] | None:
    """Return what `line_of` returns if the factor is positive, otherwise None."""
    line = line_of(expr)
    return line if line is not None and line[1] > 0 else None


def line_of(expr: sympy.Expr) -> tuple[sympy.Symbol, int, int] | None:
    """Return symbol, factor and offset of `factor * symbol + offset`, or None."""
    offset, multiple = expr.as_coeff_Add()
    factor, symbol = multiple.as_coeff_Mul()
    if not (symbol.is_Symbol and factor.is_Integer and offset.is_Integer):
        return None
    return symbol, int(factor), int(offset)
