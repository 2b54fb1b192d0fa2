"""Sets upper bounds of input dimensions that have none."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy
import torch
from torch import SymInt, Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node
from torch.utils._pytree import tree_leaves
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from exir.dialects.edge import edge_op
from exir.error import ConfigError
from exir.graph.control_flow import graphs, regions
from exir.graph.size_bounds import symbol_limits
from exir.graph.symbols import example_values, rising_line_of, symbolic_sizes

SPECIALIZED_LOWER = 2
"""Lower bound that torch.export assumes; it is indistinguishable from a declared bound of 2."""

_SLICES = (edge_op(torch.ops.aten.slice_copy.Tensor), torch.ops.aten.slice.Tensor)
# The largest number of values for which the size of a slice is checked.
_MOST_CHECKED = 1024


@dataclass(frozen=True)
class OpenDimension:
    """An unbounded dimension of an input, or an unbounded integer input.

    Sizes of tensors depend on it. `example` is its value in the example inputs.
    """

    name: str
    """`<input>.<dimension>`, or `<input>` of an integer."""
    symbol: sympy.Symbol
    example: int


def open_dimensions(program: ExportedProgram) -> Iterator[OpenDimension]:
    """Yield the unbounded dimensions of the inputs, the first one for each symbol."""
    yielded: set[sympy.Symbol] = set()
    of_sizes = _symbols_of_sizes(program.graph_module)
    for name, size in named_sizes(program):
        symbol = _open_symbol(program, size)
        if symbol in of_sizes and symbol not in yielded:
            yielded.add(symbol)
            yield OpenDimension(name, symbol, int(size.node.hint))


def named_sizes(program: ExportedProgram) -> Iterator[tuple[str, SymInt]]:
    """Yield the symbolic sizes of the inputs, with their names as in `OpenDimension`."""
    placeholders = program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, program.graph_signature.input_specs):
        if spec.kind is InputKind.USER_INPUT:
            name = spec.arg.name
            for dim, size in symbolic_sizes(node.meta.get("val")):
                yield name if dim is None else f"{name}.{dim}", size


def _symbols_of_sizes(graph_module: GraphModule) -> set[sympy.Symbol]:
    """Return the symbols in tensor sizes; memory is planned for their bounds."""
    values = (node.meta.get("val") for subgraph in graphs(graph_module) for node in subgraph.graph.nodes)
    tensors = (tensor for value in values for tensor in tree_leaves(value) if isinstance(tensor, Tensor))
    sizes: Iterator[int | SymInt] = (size for tensor in tensors for size in tensor.shape)
    symbolic = (size for size in sizes if isinstance(size, SymInt))
    return {symbol for size in symbolic for symbol in size.node.expr.free_symbols}


def _open_symbol(program: ExportedProgram, size: SymInt) -> sympy.Symbol | None:
    if not size.node.expr.is_Symbol or not size.node.has_hint():
        return None
    known = program.range_constraints.get(size.node.expr)
    is_open = known is None or known.upper in (int_oo, sympy.oo)
    return size.node.expr if is_open else None


def correct_ranges(program: ExportedProgram) -> None:
    """Correct the ranges of inputs, so that each accepted call succeeds."""
    _start_integers_at_zero(program)
    _require_rows(program)
    _require_sliced_sizes(program)


def _start_integers_at_zero(program: ExportedProgram) -> None:
    """Lower the minimum of integer inputs to 0, where torch.export assumes 2.

    Inputs that are sizes of tensor inputs are excluded. Sizes that shrink as the integer grows, such as
    `10 - n`, are then bounded by their largest value.
    """
    placeholders = program.graph.find_nodes(op="placeholder")
    values = [node.meta.get("val") for node in placeholders]
    sizes: Iterator[int | SymInt] = (
        size for tensor in values if isinstance(tensor, Tensor) for size in tensor.shape
    )
    symbolic = (size for size in sizes if isinstance(size, SymInt))
    of_tensors = {symbol for size in symbolic for symbol in size.node.expr.free_symbols}
    for value in values:
        symbol = value.node.expr if isinstance(value, SymInt) else None
        known = program.range_constraints.get(symbol)
        if known is not None and symbol not in of_tensors and known.lower == SPECIALIZED_LOWER:
            program.range_constraints[symbol] = ValueRanges(0, known.upper)


def _require_rows(program: ExportedProgram) -> None:
    """Raise lower bounds of input sizes, so that each `map` and `scan` has a row.

    PyTorch rejects a loop without rows, and a recurrent layer without time steps. A loop within other
    control flow is excluded, because it might not run.
    """
    symbols = {symbol for _, size in named_sizes(program) for symbol in size.node.expr.free_symbols}
    for node in program.graph.nodes:
        for region in regions(node):
            for position in region.sliced:
                size = region.operands[position].meta["val"].shape[0]
                line = rising_line_of(size.node.expr) if isinstance(size, SymInt) else None
                if line is not None and line[0] in symbols:
                    symbol, factor, offset = line
                    _raise_lower(program, symbol, -((offset - 1) // factor))


def _require_sliced_sizes(program: ExportedProgram) -> None:
    """Narrow the ranges of inputs to the values that sizes of slices assume.

    torch.export assumes sizes and integers of at least 2, and evaluates comparisons for the
    example. In its programs, `x[:2]` and `x[-1:]` have static sizes. In eager PyTorch, they are
    shorter if `x` is.
    """
    examples = example_values(size for _, size in named_sizes(program))
    checked = set()
    for graph_module in graphs(program.graph_module):
        for node in graph_module.graph.nodes:
            expressions = _slice_expressions(node) if node.target in _SLICES else ()
            symbols = {
                symbol
                for expression in expressions
                for symbol in getattr(expression, "free_symbols", ())
            }
            known = symbols & examples.keys() & program.range_constraints.keys()
            if len(symbols) == 1 and symbols == known and expressions not in checked:
                checked.add(expressions)
                (symbol,) = symbols
                _narrow(program, symbol, examples[symbol], partial(_has_size_at, expressions, symbol))


def _slice_expressions(node: Node) -> tuple[Any, ...]:
    """Return the sizes before and after a slice, and its start, end and step."""
    args: tuple[Any, ...] = (*node.args, *(0, None, None, 1)[len(node.args) - 1 :])
    x, dim, *indices = args
    arguments = (index.meta["val"] if isinstance(index, Node) else index for index in indices)
    values = (x.meta["val"].shape[dim], node.meta["val"].shape[dim], *arguments)
    return tuple(value.node.expr if isinstance(value, SymInt) else value for value in values)


def _narrow(
    program: ExportedProgram, symbol: sympy.Symbol, example: int, is_valid: Callable[[int], bool]
) -> None:
    """Narrow the range of `symbol` to the valid values around the example."""
    lower, upper = symbol_limits(symbol, program.range_constraints)
    checked = range(lower, min(upper, lower + _MOST_CHECKED) + 1)
    invalid = [number for number in checked if not is_valid(number)]
    below, above = [n for n in invalid if n < example], [n for n in invalid if n > example]
    if above:
        known = program.range_constraints[symbol]
        program.range_constraints[symbol] = ValueRanges(known.lower, min(above) - 1)
    if below:
        _raise_lower(program, symbol, max(below) + 1)


def _has_size_at(expressions: tuple[Any, ...], symbol: sympy.Symbol, number: int) -> bool:
    """Return true if a slice has its exported size if `symbol` is `number`."""
    size, sliced, *indices = (
        number
        if expression == symbol
        else int(expression.xreplace({symbol: sympy.Integer(number)}))
        if isinstance(expression, sympy.Basic)
        else expression
        for expression in expressions
    )
    return size < 0 or len(range(*slice(*indices).indices(size))) == sliced


def _raise_lower(program: ExportedProgram, symbol: sympy.Symbol, lower: int) -> None:
    """Raise the lower bound of a symbol, and of bounded expressions that contain it."""
    for expr, known in program.range_constraints.items():
        line = rising_line_of(expr)
        if line is None or line[0] != symbol:
            continue
        least = line[1] * lower + line[2]
        if known.lower < least <= known.upper:
            program.range_constraints[expr] = ValueRanges(least, known.upper)


def bound_inputs(program: ExportedProgram, bounds: Mapping[str, int]) -> list[str]:
    """Set an upper bound of every open dimension; return warnings for the user.

    The bound is the entry in `bounds`. Without an entry, it is the size in the example inputs, and a
    warning is returned. Raises `ConfigError` for a bound below the example.
    """
    messages = []
    for dimension in open_dimensions(program):
        bound = bounds.get(dimension.name, dimension.example)
        if bound < dimension.example:
            raise ConfigError(
                f"[shapes] '{dimension.name}': the bound {bound} is below the example's size "
                f"{dimension.example}; increase the bound"
            )
        if dimension.name not in bounds:
            kind = "dimension" if "." in dimension.name else "integer input"
            messages.append(
                f"{kind} '{dimension.name}' has no upper bound, so the example's value "
                f"{dimension.example} is used; set the max of its torch.export.Dim, or a bound in [shapes]"
            )
        _set_upper(program, dimension.symbol, bound)
    return messages


def _set_upper(program: ExportedProgram, symbol: sympy.Symbol, upper: int) -> None:
    """Set an upper bound.

    The lower bound stays, unless it is the 2 that torch.export assumes to exclude 0 and 1.
    """
    known = program.range_constraints.get(symbol)
    lower = known.lower if known is not None and known.lower != SPECIALIZED_LOWER else 0
    program.range_constraints[symbol] = ValueRanges(min(lower, upper), upper)
