"""The dynamic shapes of an exported program, for another `torch.export.export`."""

import inspect
from collections.abc import Sequence
from typing import Any

import sympy
from torch import SymInt, Tensor
from torch.export import Dim, ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule
from torch.utils import _pytree as pytree

from exir.graph.size_bounds import finite_upper


def dynamic_shapes_of(program: ExportedProgram, module: GraphModule) -> dict[str, Any] | None:
    """Return the shapes for exporting `module`, or None if all are static.

    `module` takes the inputs of `program`. Its argument names can differ from the model's:
    `forward(*args)` becomes one argument for each input. The shapes are therefore taken from the
    program, not from the model's `dynamic_shapes`.
    """
    values = _input_values(program)
    dims = _DimTable(program, values)
    leaves = [dims.of_value(value) for value in values]
    if not any(leaves):
        return None
    args, kwargs = pytree.tree_unflatten(leaves, program.call_spec.in_spec)
    return dict(inspect.signature(module.forward).bind(*args, **kwargs).arguments)


def restore_ranges(exported: ExportedProgram, program: ExportedProgram) -> None:
    """Set the ranges of inputs to those of `program`, which has the same inputs.

    torch.export narrows them for quantization operators: their memory layout depends on whether a
    tensor is empty. The result of a program does not.
    """
    for value, original in zip(_input_values(exported), _input_values(program), strict=True):
        for size, expected in zip(_sizes_of(value), _sizes_of(original), strict=True):
            known = program.range_constraints.get(expected) if expected.is_Symbol else None
            if known is not None and size.is_Symbol:
                exported.range_constraints[size] = known


def _input_values(program: ExportedProgram) -> list[Any]:
    """Return a tensor, symbol or constant for each input; None if it is unused."""
    nodes = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
    specs = program.graph_signature.input_specs
    inputs = [
        nodes.get(getattr(spec.arg, "name", "")) for spec in specs if spec.kind is InputKind.USER_INPUT
    ]
    return [None if node is None else node.meta.get("val") for node in inputs]


def _sizes_of(value: Any) -> list[sympy.Expr]:
    """Return the sizes of a tensor, or the value of an integer input."""
    sizes = value.shape if isinstance(value, Tensor) else [value] if isinstance(value, SymInt) else []
    return [size.node.expr if isinstance(size, SymInt) else sympy.Integer(size) for size in sizes]


class _DimTable:
    """A `Dim` for each symbol of a program, with its bounds."""

    def __init__(self, program: ExportedProgram, inputs: Sequence[Any]) -> None:
        self._ranges = program.range_constraints
        self._of: dict[sympy.Symbol, Any] = {}
        sizes: list[Any] = [
            size for tensor in inputs if isinstance(tensor, Tensor) for size in tensor.shape
        ]
        expressions = [size.node.expr for size in sizes if isinstance(size, SymInt)]
        # torch.export rejects a nonlinear function of a named dimension.
        self._nonlinear = {
            symbol for expr in expressions if not _is_linear(expr) for symbol in expr.free_symbols
        }

    def of_value(self, value: Any) -> Any:
        """Return the dynamic shape of an input; None if its sizes are static."""
        if isinstance(value, SymInt):
            lower, upper = self._bounds(value.node.expr)
            return Dim.DYNAMIC(min=lower, max=upper)
        if not isinstance(value, Tensor):
            return None
        sizes: list[Any] = list(value.shape)
        found = {
            i: self._dim_of_size(size.node.expr)
            for i, size in enumerate(sizes)
            if isinstance(size, SymInt)
        }
        return found or None

    def _dim_of_size(self, size: sympy.Expr) -> Any:
        """Return a dimension, or `factor * dim + offset`."""
        if size.is_Integer:
            return None
        if size in self._nonlinear:
            lower, upper = self._bounds(size)
            return Dim.DYNAMIC(min=lower, max=upper)
        if not _is_linear(size) or size.free_symbols & self._nonlinear:
            return Dim.AUTO
        (symbol,) = size.free_symbols
        polynomial = sympy.Poly(size, symbol)
        factor, offset = (int(coefficient) for coefficient in (polynomial.nth(1), polynomial.nth(0)))
        dim = self._dim_of_symbol(symbol)
        dim = dim if factor == 1 else factor * dim
        return dim + offset if offset else dim

    def _dim_of_symbol(self, symbol: sympy.Symbol) -> Any:
        if symbol not in self._of:
            lower, upper = self._bounds(symbol)
            self._of[symbol] = Dim(str(symbol), min=lower, max=upper)
        return self._of[symbol]

    def _bounds(self, symbol: sympy.Symbol) -> tuple[int, int | None]:
        """Return the bounds of a symbol; None for an infinite upper bound."""
        known = self._ranges[symbol]
        return int(known.lower), finite_upper(known)


def _is_linear(size: sympy.Expr) -> bool:
    """Return true if the size is a linear function of one symbol, or a constant."""
    symbols = size.free_symbols
    if len(symbols) > 1 or not size.is_polynomial(*symbols):
        return False
    return not symbols or sympy.Poly(size, *symbols).degree() == 1
