"""Checks whether operators accept sizes of inputs that differ from the example's.

Operators run on meta tensors. One is valid if it runs, and returns the sizes that the graph declares.
"""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils._sympy.printers import PythonPrinter
from torch.utils._sympy.value_ranges import ValueRanges

from exir.dialects.edge import to_torch_overload
from exir.graph.control_flow import regions
from exir.graph.input_bounds import named_sizes
from exir.graph.symbols import example_values

# Operators that decompositions compute for all sizes, although torch.export declares the example's.
# The kernel of a slice computes its size, which is smaller if the slice exceeds its dimension.
_EXACT = (
    torch.ops.aten.tensor_split.sections,
    torch.ops.aten.tensor_split.indices,
    torch.ops.aten.slice.Tensor,
    torch.ops.aten.slice_copy.Tensor,
)
# Reductions that have no result without elements, except for the full medians, which are NaN or the
# smallest integer. Their meta kernels accept empty dimensions.
_WITHOUT_IDENTITY = frozenset(
    {"amax", "amin", "argmax", "argmin", "max", "min", "median", "mode", "aminmax", "nanmedian"}
)
_FULL_MEDIANS = (torch.ops.aten.median.default, torch.ops.aten.nanmedian.default)

# The values of symbols in one call, in the order of `InputSymbols.names`.
Point = tuple[int, ...]


@dataclass(frozen=True)
class InputSymbols:
    """The symbols in the sizes of inputs, with their ranges and examples.

    sizes: each symbolic size of an input, which has bounds as well.
    """

    names: tuple[sympy.Symbol, ...]
    ranges: tuple[range, ...]
    example: Point
    sizes: tuple[tuple[sympy.Expr, ValueRanges], ...]
    bounds: Any

    @staticmethod
    def of_inputs(program: ExportedProgram) -> "InputSymbols":
        sizes = [size for _, size in named_sizes(program)]
        bounds = program.range_constraints
        example = example_values(sizes)
        ranges = []
        for symbol in example:
            known = bounds.get(symbol, ValueRanges(0, 2**31 - 1))
            low = int(known.lower) if known.lower.is_Integer else 0
            high = int(known.upper) if known.upper.is_Integer else 2**31 - 1
            ranges.append(range(low, high + 1))
        expressions = {size.node.expr: bounds.get(size.node.expr) for size in sizes}
        bounded = tuple((expr, known) for expr, known in expressions.items() if known is not None)
        return InputSymbols(tuple(example), tuple(ranges), tuple(example.values()), bounded, bounds)

    def compiled(self, expr: Any) -> Callable[[Point], Any]:
        """Return a function that evaluates an expression at a point.

        It raises an exception if Python cannot compute the value.
        """
        if not isinstance(expr, sympy.Basic):
            return lambda _: expr
        parameters = ", ".join(str(symbol) for symbol in self.names)
        source = f"lambda {parameters}: {PythonPrinter().doprint(expr)}"
        function = eval(source, {"math": math, "torch": torch})
        return lambda point: function(*point)


@dataclass(frozen=True)
class CheckedNode:
    """A call of an operator whose arguments and outputs depend on symbols.

    used: the indices of the used outputs, of an operator that returns several.
    sizes: the symbolic sizes of tensors.
    symbols: the positions of these symbols in a point. known: results, by their values.
    """

    op: OpOverload
    arguments: Callable[[Point], Any]
    declared: Callable[[Point], list[tuple[int, ...]]]
    used: tuple[int, ...] | None
    sizes: tuple[sympy.Expr, ...]
    symbols: tuple[int, ...]
    known: dict[Point, bool] = field(default_factory=dict)

    def is_valid(self, point: Point) -> bool:
        """Return true if the operator runs, and returns the declared sizes."""
        key = tuple(point[at] for at in self.symbols)
        if key not in self.known:
            self.known[key] = self._runs(point)
        return self.known[key]

    def _runs(self, point: Point) -> bool:
        try:
            declared = self.declared(point)
            args, kwargs = self.arguments(point)
            with torch.no_grad():
                result = self.op(*args, **kwargs)
            results = [result] if self.used is None else [result[index] for index in self.used]
            if _is_empty_reduction(self.op, args, results):
                return False
            return [tuple(value.shape) for value in results] == declared
        except (NotImplementedError, TypeError, AttributeError):
            # No meta kernel, or one with a fault of its own, such as a missing optional argument.
            return True
        except Exception:
            return False


def _is_empty_reduction(op: OpOverload, args: Sequence[Any], results: Sequence[Tensor]) -> bool:
    """Return true if a maximum or the like is computed of no elements."""
    has_identity = op in _FULL_MEDIANS or op._schema.name.removeprefix("aten::") not in _WITHOUT_IDENTITY
    if has_identity or not isinstance(args[0], Tensor):
        return False
    return args[0].numel() == 0 and any(result.numel() > 0 for result in results)


def checked_nodes(programs: Sequence[ExportedProgram], symbols: InputSymbols) -> list[CheckedNode]:
    """Return one call for each kind that depends on symbols.

    A call that fails for the example, for which it is valid, is excluded.
    """
    found: dict[Any, CheckedNode] = {}
    for program in programs:
        for node in (node for body in _bodies(program.graph_module) for node in body.graph.nodes):
            op = node.target if isinstance(node.target, OpOverload) else to_torch_overload(node.target)
            if node.op == "call_function" and isinstance(op, OpOverload) and op not in _EXACT:
                key = _signature(node, op)
                if key is not None and key not in found:
                    checked = _checked_node(node, op, symbols)
                    if checked is not None:
                        found[key] = checked
    return [node for node in found.values() if node.is_valid(symbols.example)]


def _bodies(graph_module: GraphModule) -> Iterator[GraphModule]:
    """Yield the graphs that run in each call: `graph_module` and bodies of loops."""
    yield graph_module
    for node in graph_module.graph.nodes:
        if node.target is not torch.ops.higher_order.cond:
            for region in regions(node):
                yield from _bodies(region.graph_module)


def _signature(node: Node, op: OpOverload) -> Any:
    """Return a key of the arguments and outputs; None if no output is a tensor."""
    outputs, used = _used_outputs(node)
    if not outputs:
        return None
    values = tree_leaves((_values(node.args), _values(node.kwargs), outputs))
    return op, used, tuple(_description(value) for value in values)


def _used_outputs(node: Node) -> tuple[list[Tensor], tuple[int, ...] | None]:
    """Return the tensors of a call: its one output, or the used ones with indices."""
    value = node.meta.get("val")
    if not isinstance(value, (list, tuple)):
        return [value] if isinstance(value, Tensor) else [], None
    items = [user.args[1] for user in node.users if user.target is operator.getitem and user.users]
    used = tuple(sorted({item for item in items if isinstance(item, int)}))
    used = tuple(index for index in used if isinstance(value[index], Tensor))
    return [value[index] for index in used], used


def _description(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.dtype, tuple(map(str, value.shape)), tuple(map(str, _strides(value)))
    return str(value)


def _strides(value: Tensor) -> tuple[Any, ...]:
    return value.stride() if value.layout is torch.strided else ()


def _values(arguments: Any) -> Any:
    return torch.fx.node.map_arg(arguments, lambda node: node.meta.get("val"))


def _checked_node(node: Node, op: OpOverload, symbols: InputSymbols) -> CheckedNode | None:
    """Return the checked call, or None unless it depends only on input symbols."""
    args, kwargs = _values(node.args), _values(node.kwargs)
    outputs, used = _used_outputs(node)
    leaves = [*tree_leaves((args, kwargs)), *outputs]
    expressions = list(dict.fromkeys(expr for leaf in leaves for expr in _expressions(leaf)))
    free = {symbol for expr in expressions for symbol in expr.free_symbols}
    if not free or not free <= set(symbols.names) or _is_elementwise(op, leaves):
        return None
    functions = {expr: symbols.compiled(expr) for expr in expressions}
    if any(argument.name == "device" for argument in op._schema.arguments):
        kwargs = {**kwargs, "device": torch.device("meta")}

    def number(value: Any, point: Point) -> Any:
        is_symbolic = isinstance(value, (SymInt, SymFloat, SymBool))
        return functions[value.node.expr](point) if is_symbolic else value

    def concrete(value: Any, point: Point) -> Any:
        if isinstance(value, Tensor):
            shape = [number(size, point) for size in value.shape]
            stride = [number(step, point) for step in _strides(value)]
            return torch.empty_strided(shape, stride, dtype=value.dtype, device="meta")
        return torch.device("meta") if isinstance(value, torch.device) else number(value, point)

    def arguments(point: Point) -> Any:
        return tree_map(lambda value: concrete(value, point), (args, kwargs))

    def declared(point: Point) -> list[tuple[int, ...]]:
        return [tuple(number(size, point) for size in value.shape) for value in outputs]

    shapes = (leaf.shape for leaf in leaves if isinstance(leaf, Tensor))
    sizes = (expr for shape in shapes for size in shape for expr in _expressions(size))
    positions = tuple(at for at, symbol in enumerate(symbols.names) if symbol in free)
    return CheckedNode(op, arguments, declared, used, tuple(dict.fromkeys(sizes)), positions)


def _is_elementwise(op: OpOverload, leaves: Iterable[Any]) -> bool:
    """Return true for an elementwise operator whose tensors all have one shape."""
    shapes = {tuple(map(str, leaf.shape)) for leaf in leaves if isinstance(leaf, Tensor) and leaf.dim()}
    return torch.Tag.pointwise in op.tags and len(shapes) <= 1


def _expressions(value: Any) -> Iterator[sympy.Expr]:
    """Yield the symbolic expressions in a value of a graph."""
    if isinstance(value, (SymInt, SymFloat, SymBool)):
        yield value.node.expr
    elif isinstance(value, Tensor):
        for size in (*value.shape, *_strides(value)):
            if isinstance(size, SymInt):
                yield size.node.expr
