"""The ranges of sizes and integers in a method's inputs and outputs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy
import torch
from torch import SymInt
from torch.fx import Node
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from exir.error import ExportError, ExportErrorType
from exir.graph.size_bounds import clamp_bound, symbol_limits
from exir.graph.symbols import rising_line_of
from exir.inspection.ranges import NUMBER, Range
from exir.tensor import TensorSpec

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
Ranges = Mapping[sympy.Expr, ValueRanges]


@dataclass(frozen=True)
class _VaryingSize:
    """A symbolic size or integer of the value with index `value`.

    upper: the maximum that memory is planned for.
    """

    value: int
    dim: int
    expr: sympy.Expr
    upper: int

    @property
    def line(self) -> tuple[sympy.Symbol, int, int] | None:
        """Symbol, factor and offset of an increasing linear expression, or None."""
        return rising_line_of(self.expr)


def ranges_of_ends(
    ranges: Ranges, inputs: Sequence[tuple[Node, int]], outputs: Sequence[tuple[Node, int]]
) -> list[Range]:
    """Return the range entries of a method, sorted by value and dim.

    `inputs` and `outputs` pair each node with the index of its value. Input sizes that are linear
    in the same symbol, such as n and 2 * n + 1, refer to the same entry.
    """
    for node, _ in inputs:
        _check_example(node, ranges)
    input_sizes = sorted(_varying_sizes(inputs), key=lambda size: (size.value, size.dim))
    limits = {
        line[0]: _symbol_limits(line[0], ranges, input_sizes)
        for size in input_sizes
        if (line := size.line) is not None
    }
    values = {index for _, index in inputs}
    output_sizes = [size for size in _varying_sizes(outputs) if size.value not in values]
    entries = [
        (size, _size_range(size, ranges, limits)) for size in dict.fromkeys(input_sizes + output_sizes)
    ]
    entries.sort(key=lambda pair: (pair[0].value, pair[0].dim))
    first: dict[sympy.Symbol, int] = {}
    found = []
    for index, (size, entry) in enumerate(entries):
        is_shared = size.line is not None and size.value in values
        same_as = first.setdefault(size.line[0], index) if is_shared and size.line else index
        found.append(replace(entry, same_as=same_as))
    return found


def _check_example(node: Node, ranges: Ranges) -> None:
    """Reject an example integer below the range that torch.export assumes.

    torch.export assumes that integers are not negative, regardless of the example.
    """
    value = node.meta.get("val")
    if not isinstance(value, SymInt) or not value.node.has_hint():
        return
    low = bound_sympy(value.node.expr, dict(ranges)).lower
    if value.node.hint < low:
        message = (
            f"the integer input '{node.name}' has the example value {value.node.hint}, but "
            f"torch.export assumes at least {low}; pass it as a tensor, or omit it from dynamic_shapes"
        )
        raise ExportError(ExportErrorType.NOT_SUPPORTED, message, node)


def _varying_sizes(ends: Sequence[tuple[Node, int]]) -> Iterator[_VaryingSize]:
    for node, index in ends:
        value = node.meta.get("val")
        if isinstance(value, SymInt):
            yield _VaryingSize(index, NUMBER, value.node.expr, _HIGHEST)
        spec = node.meta.get("spec")
        if isinstance(value, torch.Tensor) and isinstance(spec, TensorSpec) and not spec.is_static:
            for dim, size in enumerate(value.shape):
                if isinstance(size, SymInt):
                    yield _VaryingSize(index, dim, size.node.expr, spec.shape[dim])


def _size_range(
    size: _VaryingSize, ranges: Ranges, limits: Mapping[sympy.Symbol, tuple[int, int]]
) -> Range:
    """Return the range of a size, without its reference to another entry."""
    line = size.line
    if line is not None and line[0] in limits:
        symbol, step, offset = line
        low, high = (step * end + offset for end in limits[symbol])
    else:
        bounds = bound_sympy(size.expr, dict(ranges))
        step, low, high = 1, clamp_bound(bounds.lower), clamp_bound(bounds.upper)
    low = max(low, _LOWEST if size.dim == NUMBER else 0)
    high = min(high, size.upper)
    low = min(low, high)
    return Range(size.value, size.dim, low, high - (high - low) % step, step, 0)


def _symbol_limits(
    symbol: sympy.Symbol, ranges: Ranges, input_sizes: Sequence[_VaryingSize]
) -> tuple[int, int]:
    """Return the bounds of `symbol` within which no input size is negative."""
    low, high = symbol_limits(symbol, ranges)
    sized_by_symbol = [
        (size, line) for size in input_sizes if (line := size.line) is not None and line[0] == symbol
    ]
    for size, (_, factor, offset) in sized_by_symbol:
        if size.dim != NUMBER:
            low = max(low, -(offset // factor))
    return low, high
