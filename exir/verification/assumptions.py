"""Derives the conditions on input sizes under which a program is valid.

torch.export evaluates comparisons of sizes for the example, and records each as a guard. Some guards
select code: a branch of a module holds for sizes on the same side only. Others only select a memory
layout, so the program is valid if they are false. A guard of Python code is therefore always a
condition, but a guard within an operator is one only if the operator fails, or returns other sizes
than the graph declares, for sizes that violate it. Operators run on meta tensors to determine this.
"""

import itertools
import math
import operator
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import ShapeEnv, ShapeGuard
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils._sympy.printers import PythonPrinter
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from exir.dialects.edge import to_torch_overload
from exir.graph.input_bounds import named_sizes
from exir.graph.private_symbols import shape_env_of

_ATTRIBUTE = "exir_input_conditions"
_TORCH = Path(torch.__file__).parent
# The parts of this compiler that compare sizes within operators.
_DECOMPOSITIONS = tuple(
    Path(__file__).parent.parent / name for name in ("decomposition", "graph", "passes")
)
# The parts of torch that implement modules in Python. Their branches are recorded like those of users.
_MODULES = (_TORCH / "nn", _TORCH / "functional.py")
# Operators that decompositions compute for all sizes, although torch.export declares the example's.
# The kernel of a slice computes its size, which is smaller if the slice exceeds its dimension.
_EXACT = (
    torch.ops.aten.tensor_split.sections,
    torch.ops.aten.tensor_split.indices,
    torch.ops.aten.slice.Tensor,
    torch.ops.aten.slice_copy.Tensor,
)
_MOST_VALUES = 64
_MOST_COMBINATIONS = 4096
# How many points are checked, and how many of them violate a candidate.
_POINTS = 24
_POINTS_OF_CANDIDATE = 6

# The values of symbols in one call, in the order of `_Symbols.names`.
_Point = tuple[int, ...]


def record_conditions(exported: ExportedProgram, lowered: ExportedProgram) -> None:
    """Record the conditions of a program for `input_conditions`.

    exported: the program before operators were decomposed.
    lowered: the same program after it. Both have the same `ShapeEnv`, and `lowered` has the final ranges.
    """
    shape_env = shape_env_of(lowered)
    if shape_env is None or not shape_env.var_to_range:
        return
    known = _recorded(shape_env)
    symbols = _Symbols.of_inputs(lowered)
    if not symbols.names:
        return
    guards = dict.fromkeys(_guards(shape_env, symbols))
    required = [
        guard.expr for guard in guards if guard.is_branch and not _is_implied(guard.expr, symbols)
    ]
    candidates = [guard.expr for guard in guards if not guard.is_branch]
    nodes = _checked_nodes([exported, lowered], symbols)
    found = [*known, *required]
    found += _selected(_Samples(symbols, nodes), found, [*candidates, *_specializations(nodes)])
    setattr(shape_env, _ATTRIBUTE, tuple(dict.fromkeys(found)))


def input_conditions(program: ExportedProgram) -> tuple[Boolean, ...]:
    """Return the recorded conditions over symbols of the inputs of `program`."""
    shape_env = shape_env_of(program)
    return () if shape_env is None else _recorded(shape_env)


def _recorded(shape_env: ShapeEnv) -> tuple[Boolean, ...]:
    return getattr(shape_env, _ATTRIBUTE, ())


@dataclass(frozen=True)
class _Guard:
    """A comparison of sizes. is_branch: Python code outside operators evaluated it."""

    expr: Boolean
    is_branch: bool


@dataclass(frozen=True)
class _Symbols:
    """The symbols in the sizes of inputs, with their ranges and examples.

    sizes: each symbolic size of an input, which has bounds as well.
    """

    names: tuple[sympy.Symbol, ...]
    ranges: tuple[range, ...]
    example: _Point
    sizes: tuple[tuple[sympy.Expr, ValueRanges], ...]
    bounds: Any

    @staticmethod
    def of_inputs(program: ExportedProgram) -> "_Symbols":
        sizes = [size for _, size in named_sizes(program)]
        bounds = program.range_constraints
        shape_env = shape_env_of(program)
        attribute = "backed_var_to_val" if hasattr(shape_env, "backed_var_to_val") else "var_to_val"
        hints = dict(getattr(shape_env, attribute, {}))
        names = tuple(
            symbol
            for symbol in dict.fromkeys(
                symbol for size in sizes for symbol in sorted(size.node.expr.free_symbols, key=str)
            )
            if symbol in hints
        )
        ranges = []
        for symbol in names:
            known = bounds.get(symbol, ValueRanges(0, 2**31 - 1))
            low = int(known.lower) if known.lower.is_Integer else 0
            high = int(known.upper) if known.upper.is_Integer else 2**31 - 1
            ranges.append(range(low, high + 1))
        expressions = {size.node.expr: bounds.get(size.node.expr) for size in sizes}
        bounded = tuple((expr, known) for expr, known in expressions.items() if known is not None)
        example = tuple(int(hints[symbol]) for symbol in names)
        return _Symbols(names, tuple(ranges), example, bounded, bounds)

    def compiled(self, expr: Any) -> Callable[[_Point], Any]:
        """Return a function that evaluates an expression at a point.

        It raises an exception if Python cannot compute the value.
        """
        if not isinstance(expr, sympy.Basic):
            return lambda _: expr
        parameters = ", ".join(str(symbol) for symbol in self.names)
        source = f"lambda {parameters}: {PythonPrinter().doprint(expr)}"
        function = eval(source, {"math": math, "torch": torch})
        return lambda point: function(*point)


def _guards(shape_env: ShapeEnv, symbols: _Symbols) -> Iterator[_Guard]:
    """Yield the guards over symbols of inputs that are not trivially true."""
    for guard in shape_env.guards:
        expr = shape_env.replace(guard.expr)
        if isinstance(expr, Boolean) and expr.free_symbols and expr.free_symbols <= set(symbols.names):
            yield _Guard(expr, is_branch(guard))


def is_branch(guard: ShapeGuard) -> bool:
    """Return true if Python code outside operators evaluated the guard."""
    filename = getattr(guard.sloc.framework_loc, "filename", None)
    if filename is None:
        return False
    path = Path(filename)
    if any(path.is_relative_to(part) for part in _DECOMPOSITIONS):
        return False
    return not path.is_relative_to(_TORCH) or any(path.is_relative_to(part) for part in _MODULES)


def _is_implied(expr: Boolean, symbols: _Symbols) -> bool:
    """Return true if the ranges of sizes imply the condition."""
    if len(expr.free_symbols) == 1:
        (symbol,) = expr.free_symbols
        values = symbols.ranges[symbols.names.index(symbol)]
        if len(values) <= _MOST_COMBINATIONS:
            holds = _guarded(symbols.compiled(expr))
            at = symbols.names.index(symbol)
            return all(
                holds((*symbols.example[:at], value, *symbols.example[at + 1 :])) for value in values
            )
    return bool(bound_sympy(expr, dict(symbols.bounds)).lower == sympy.true)


@dataclass(frozen=True)
class _CheckedNode:
    """A call of an operator whose arguments and outputs depend on symbols.

    used: the indices of the used outputs, of an operator that returns several.
    symbols: the positions of these symbols in a point. known: results, by their values.
    """

    op: OpOverload
    arguments: Callable[[_Point], Any]
    declared: Callable[[_Point], list[tuple[int, ...]]]
    used: tuple[int, ...] | None
    sizes: tuple[sympy.Expr, ...]
    symbols: tuple[int, ...]
    known: dict[_Point, bool] = field(default_factory=dict)

    def is_valid(self, point: _Point) -> bool:
        """Return true if the operator runs, and returns the declared sizes."""
        key = tuple(point[at] for at in self.symbols)
        if key not in self.known:
            self.known[key] = self._runs(point)
        return self.known[key]

    def _runs(self, point: _Point) -> bool:
        try:
            declared = self.declared(point)
            args, kwargs = self.arguments(point)
            with torch.no_grad():
                result = self.op(*args, **kwargs)
            results = [result] if self.used is None else [result[index] for index in self.used]
            return [tuple(value.shape) for value in results] == declared
        except (NotImplementedError, TypeError, AttributeError):
            # No meta kernel, or one with a fault of its own, such as a missing optional argument.
            return True
        except Exception:
            return False


def _checked_nodes(programs: Sequence[ExportedProgram], symbols: _Symbols) -> list[_CheckedNode]:
    """Return one call for each kind that depends on symbols.

    A call that fails for the example, for which it is valid, is excluded.
    """
    found: dict[Any, _CheckedNode] = {}
    for program in programs:
        for node in program.graph.nodes:
            op = node.target if isinstance(node.target, OpOverload) else to_torch_overload(node.target)
            if node.op == "call_function" and isinstance(op, OpOverload) and op not in _EXACT:
                key = _signature(node, op)
                if key is not None and key not in found:
                    checked = _checked_node(node, op, symbols)
                    if checked is not None:
                        found[key] = checked
    return [node for node in found.values() if node.is_valid(symbols.example)]


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


def _checked_node(node: Node, op: OpOverload, symbols: _Symbols) -> _CheckedNode | None:
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

    def number(value: Any, point: _Point) -> Any:
        is_symbolic = isinstance(value, (SymInt, SymFloat, SymBool))
        return functions[value.node.expr](point) if is_symbolic else value

    def concrete(value: Any, point: _Point) -> Any:
        if isinstance(value, Tensor):
            shape = [number(size, point) for size in value.shape]
            stride = [number(step, point) for step in _strides(value)]
            return torch.empty_strided(shape, stride, dtype=value.dtype, device="meta")
        return torch.device("meta") if isinstance(value, torch.device) else number(value, point)

    def arguments(point: _Point) -> Any:
        return tree_map(lambda value: concrete(value, point), (args, kwargs))

    def declared(point: _Point) -> list[tuple[int, ...]]:
        return [tuple(number(size, point) for size in value.shape) for value in outputs]

    sizes = (expr for value in outputs for size in value.shape for expr in _expressions(size))
    positions = tuple(at for at, symbol in enumerate(symbols.names) if symbol in free)
    return _CheckedNode(op, arguments, declared, used, tuple(dict.fromkeys(sizes)), positions)


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


def _specializations(nodes: Iterable[_CheckedNode]) -> Iterator[Boolean]:
    """Yield conditions assumed without a guard: sizes are not 0 or 1."""
    for size in dict.fromkeys(size for node in nodes for size in node.sizes):
        for special in (sympy.Ne(size, 0), sympy.Ne(size, 1), sympy.Ge(size, 2)):
            if isinstance(special, Boolean) and special.free_symbols:
                yield special


class _Samples:
    """Points of the ranges, and whether all operators are valid there."""

    def __init__(self, symbols: _Symbols, nodes: Sequence[_CheckedNode]) -> None:
        self.symbols = symbols
        self._nodes = nodes
        self._sizes = [(symbols.compiled(expr), known) for expr, known in symbols.sizes]
        self._valid: dict[_Point, bool] = {}

    def is_valid(self, point: _Point) -> bool:
        if point not in self._valid:
            self._valid[point] = all(node.is_valid(point) for node in self._nodes)
        return self._valid[point]

    def points(
        self,
        conditions: Sequence[Callable[[_Point], bool]],
        candidates: Iterable[Callable[[_Point], bool]],
    ) -> list[_Point]:
        """Return points at which `conditions` hold, and all input sizes are in range.

        Points that violate one of `candidates` are included.
        """
        allowed = list(
            dict.fromkeys(filter(lambda point: self._is_allowed(point, conditions), self._all_points()))
        )
        found = dict.fromkeys(allowed[:_POINTS])
        for holds in candidates:
            violating = (point for point in allowed if not holds(point))
            found |= dict.fromkeys(itertools.islice(violating, _POINTS_OF_CANDIDATE))
        return list(found)

    def _is_allowed(self, point: _Point, conditions: Iterable[Callable[[_Point], bool]]) -> bool:
        in_range = all(known.lower <= size(point) <= known.upper for size, known in self._sizes)
        return in_range and all(holds(point) for holds in conditions)

    def _all_points(self) -> Iterator[_Point]:
        """Yield the example, points that differ in one symbol, and combinations."""
        example = self.symbols.example
        yield example
        values = [self._values(at) for at in range(len(example))]
        single = [
            [(*example[:at], value, *example[at + 1 :]) for value in values[at]]
            for at in range(len(example))
        ]
        yield from (point for group in itertools.zip_longest(*single) for point in group if point)
        yield from self._equal_values(values)
        generator = random.Random(0)
        for _ in range(_MOST_COMBINATIONS // 4 if len(example) > 1 else 0):
            yield tuple(generator.choice(some) for some in values)

    def _equal_values(self, values: Sequence[Sequence[int]]) -> Iterator[_Point]:
        """Yield points at which two symbols have the same value."""
        example = self.symbols.example
        for first, second in itertools.combinations(range(len(example)), 2):
            for value in values[first]:
                if value in self.symbols.ranges[second]:
                    point = list(example)
                    point[first] = point[second] = value
                    yield tuple(point)

    def _values(self, at: int) -> list[int]:
        """Return values of a symbol: its smallest, its largest, and near its example."""
        allowed, example = self.symbols.ranges[at], self.symbols.example[at]
        ends = [*allowed[:2], *allowed[-1:], *allowed[2:16]]
        near = [value for value in range(example - 8, example + 9) if value in allowed]
        every = allowed if len(allowed) <= _MOST_VALUES else allowed[-8:]
        return list(dict.fromkeys([*ends, *near, *every]))


def _selected(
    samples: _Samples, required: Sequence[Boolean], candidates: Iterable[Boolean]
) -> list[Boolean]:
    """Return the candidates that reject the points at which an operator is invalid.

    A candidate that rejects no valid point is preferred, then the one that rejects most points.
    """
    selected: list[Boolean] = []
    compiled = {expr: _guarded(samples.symbols.compiled(expr)) for expr in [*required, *candidates]}
    while True:
        holding = [compiled[expr] for expr in [*required, *selected]]
        holding = [holds for holds in holding if holds(samples.symbols.example)]
        points = samples.points(holding, compiled.values())
        invalid = [point for point in points if not samples.is_valid(point)]
        valid = [point for point in points if samples.is_valid(point)]
        scores = []
        for order, (expr, holds) in enumerate(compiled.items()):
            rejected = sum(not holds(point) for point in invalid)
            if rejected and holds(samples.symbols.example):
                wrong = sum(not holds(point) for point in valid)
                scores.append((wrong, -rejected, int(expr.count_ops()), order, expr))
        if not scores:
            return selected
        selected.append(min(scores)[-1])


def _guarded(function: Callable[[_Point], Any]) -> Callable[[_Point], bool]:
    """Return a function that is false where `function` raises an exception."""

    def holds(point: _Point) -> bool:
        try:
            return bool(function(point))
        except Exception:
            return False

    return holds
