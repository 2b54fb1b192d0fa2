"""Derives the conditions on input sizes under which a program is valid.

torch.export evaluates comparisons of sizes for the example, and records each as a guard. Some guards
select code: a branch of a module holds for sizes on the same side only. Others only select a memory
layout, so the program is valid if they are false. A guard of Python code is therefore always a
condition, but a guard within an operator is one only if the operator fails, or returns other sizes
than the graph declares, for sizes that violate it. Operators run on meta tensors to determine this.
"""

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from traceback import FrameSummary
from typing import Any

import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import ShapeEnv, ShapeGuard
from torch.utils._sympy.value_ranges import bound_sympy

from exir.graph.private_symbols import shape_env_of
from exir.verification.comparisons import comparisons, is_outside_operators
from exir.verification.operator_checks import CheckedNode, InputSymbols, Point, checked_nodes

_ATTRIBUTE = "exir_input_conditions"
# Compares the number of queries with 1 before it checks the mask. The result matters only to causal
# attention.
_CAUSAL_CHECK = "transformers/integrations/sdpa_attention.py"
_MOST_VALUES = 64
_MOST_COMBINATIONS = 4096
# How many points are checked, and how many of them violate a candidate.
_POINTS = 24
_POINTS_OF_CANDIDATE = 6


def record_conditions(exported: ExportedProgram, lowered: ExportedProgram) -> None:
    """Record the conditions of a program for `input_conditions`.

    exported: the program before operators were decomposed.
    lowered: the same program after it. Both have the same `ShapeEnv`, and `lowered` has the final ranges.
    """
    shape_env = shape_env_of(lowered)
    if shape_env is None or not shape_env.var_to_range:
        return
    known = _recorded(shape_env)
    symbols = InputSymbols.of_inputs(lowered)
    if not symbols.names:
        return
    guards = dict.fromkeys(_guards(shape_env, symbols))
    lines = {guard.expr: guard.line for guard in guards if guard.is_branch}
    required = [expr for expr in lines if not _is_implied(expr, symbols)]
    candidates = [guard.expr for guard in guards if not guard.is_branch]
    nodes = checked_nodes([exported, lowered], symbols)
    samples = _Samples(symbols, nodes)
    found = [*known, *required]
    compared = _compared(shape_env, symbols, exported)
    found += _violated(samples, found, compared)
    found += _selected(samples, found, [*candidates, *_specializations(nodes)])
    lines = {**compared, **lines, **known}
    setattr(shape_env, _ATTRIBUTE, {expr: lines.get(expr) for expr in found})


def assumed_branches(exported: ExportedProgram) -> dict[Boolean, str | None]:
    """Return relations of sizes that select a branch, with their lines of code.

    torch.export records no guard for them, because it assumes that sizes are positive.
    """
    shape_env = shape_env_of(exported)
    if shape_env is None or not shape_env.var_to_range:
        return {}
    return _compared(shape_env, InputSymbols.of_inputs(exported), exported)


def input_conditions(program: ExportedProgram) -> tuple[Boolean, ...]:
    """Return the recorded conditions over symbols of the inputs of `program`."""
    shape_env = shape_env_of(program)
    return () if shape_env is None else tuple(_recorded(shape_env))


def line_of_condition(program: ExportedProgram, condition: Boolean) -> str | None:
    """Return the line of Python code that assumes a recorded condition."""
    shape_env = shape_env_of(program)
    return None if shape_env is None else _recorded(shape_env).get(condition)


def _recorded(shape_env: ShapeEnv) -> Mapping[Boolean, str | None]:
    """Return the recorded conditions, with the lines that assume them."""
    return getattr(shape_env, _ATTRIBUTE, {})


@dataclass(frozen=True)
class _Guard:
    """A comparison of sizes.

    is_branch: Python code outside operators evaluated it. line: the line of that code.
    """

    expr: Boolean
    is_branch: bool
    line: str | None


def _guards(shape_env: ShapeEnv, symbols: InputSymbols) -> Iterator[_Guard]:
    """Yield the guards over symbols of inputs that are not trivially true."""
    for guard in shape_env.guards:
        expr = shape_env.replace(guard.expr)
        if isinstance(expr, Boolean) and expr.free_symbols and expr.free_symbols <= set(symbols.names):
            yield _Guard(expr, is_branch(guard), _line_of(guard))


def _compared(
    shape_env: ShapeEnv, symbols: InputSymbols, exported: ExportedProgram
) -> dict[Boolean, str | None]:
    """Return the relations that Python code assumes without a guard, with their lines."""
    is_causal = any(map(_is_causal_attention, exported.graph.nodes))
    found: dict[Boolean, str | None] = {}
    for comparison in comparisons(shape_env):
        expr = comparison.in_terms_of(shape_env)
        is_selected = is_causal or not comparison.file.endswith(_CAUSAL_CHECK)
        if is_selected and expr.free_symbols and expr.free_symbols <= set(symbols.names):
            found.setdefault(expr, f"{comparison.file}:{comparison.line}")
    return found


def _is_causal_attention(node: Node) -> bool:
    if node.target is not torch.ops.aten.scaled_dot_product_attention.default:
        return False
    return bool(node.args[5] if len(node.args) > 5 else node.kwargs.get("is_causal"))


def _line_of(guard: ShapeGuard) -> str | None:
    location = guard.sloc.framework_loc
    return f"{location.filename}:{location.lineno}" if isinstance(location, FrameSummary) else None


def is_branch(guard: ShapeGuard) -> bool:
    """Return true if Python code outside operators evaluated the guard."""
    filename = getattr(guard.sloc.framework_loc, "filename", None)
    return filename is not None and is_outside_operators(filename)


def _is_implied(expr: Boolean, symbols: InputSymbols) -> bool:
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


def _specializations(nodes: Iterable[CheckedNode]) -> Iterator[Boolean]:
    """Yield conditions assumed without a guard: sizes are not 0 or 1."""
    for size in dict.fromkeys(size for node in nodes for size in node.sizes):
        if size.free_symbols:
            # Not evaluated, because symbols of sizes are positive for sympy, even if their ranges have 0.
            yield sympy.Ne(size, 0, evaluate=False)
            yield sympy.Ne(size, 1, evaluate=False)
            yield sympy.Ge(size, 2, evaluate=False)


class _Samples:
    """Points of the ranges, and whether all operators are valid there."""

    def __init__(self, symbols: InputSymbols, nodes: Sequence[CheckedNode]) -> None:
        self.symbols = symbols
        self._nodes = nodes
        self._sizes = [(symbols.compiled(expr), known) for expr, known in symbols.sizes]
        self._valid: dict[Point, bool] = {}

    def is_valid(self, point: Point) -> bool:
        if point not in self._valid:
            self._valid[point] = all(node.is_valid(point) for node in self._nodes)
        return self._valid[point]

    def points(
        self,
        conditions: Sequence[Callable[[Point], bool]],
        candidates: Iterable[Callable[[Point], bool]],
    ) -> list[Point]:
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

    def _is_allowed(self, point: Point, conditions: Iterable[Callable[[Point], bool]]) -> bool:
        in_range = all(known.lower <= size(point) <= known.upper for size, known in self._sizes)
        return in_range and all(holds(point) for holds in conditions)

    def _all_points(self) -> Iterator[Point]:
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

    def _equal_values(self, values: Sequence[Sequence[int]]) -> Iterator[Point]:
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


def _violated(
    samples: _Samples, required: Sequence[Boolean], relations: Iterable[Boolean]
) -> list[Boolean]:
    """Return the relations that are false for sizes that satisfy `required`."""
    found: list[Boolean] = []
    holding = [_guarded(samples.symbols.compiled(expr)) for expr in required]
    for expr in dict.fromkeys(relations):
        holds = _guarded(samples.symbols.compiled(expr))
        if holds(samples.symbols.example) and not all(map(holds, samples.points(holding, [holds]))):
            found.append(expr)
            holding.append(holds)
    return found


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


def _guarded(function: Callable[[Point], Any]) -> Callable[[Point], bool]:
    """Return a function that is false where `function` raises an exception."""

    def holds(point: Point) -> bool:
        try:
            return bool(function(point))
        except Exception:
            return False

    return holds
