"""Upper bounds for dimensions of inputs that have none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy
from torch import SymInt, Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from exir.error import ConfigError


@dataclass(frozen=True)
class OpenDimension:
    """A dimension of an input whose size nothing bounds; `example` is its size in the example inputs."""

    name: str
    """`<input>.<dimension>`."""
    symbol: sympy.Symbol
    example: int


def open_dimensions(program: ExportedProgram) -> Iterator[OpenDimension]:
    """Those of the inputs, the first for each symbol."""
    seen: set[sympy.Symbol] = set()
    placeholders = program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, program.graph_signature.input_specs):
        sizes = node.meta["val"].shape if isinstance(node.meta.get("val"), Tensor) else ()
        for dim, size in enumerate(sizes if spec.kind is InputKind.USER_INPUT else ()):
            symbol = _open_symbol(program, size)
            if symbol is not None and symbol not in seen:
                seen.add(symbol)
                yield OpenDimension(f"{spec.arg.name}.{dim}", symbol, int(size.node.hint))


def _open_symbol(program: ExportedProgram, size: int | SymInt) -> sympy.Symbol | None:
    if not isinstance(size, SymInt) or not size.node.expr.is_Symbol or not size.node.has_hint():
        return None
    known = program.range_constraints.get(size.node.expr)
    is_open = known is None or known.upper in (int_oo, sympy.oo)
    return size.node.expr if is_open else None


def bound_inputs(program: ExportedProgram, bounds: Mapping[str, int]) -> list[str]:
    """Give every open dimension of `program` an upper bound: that in `bounds` by its name, else its example's size.

    Returns what to tell the user of the latter. Raises `ConfigError` for a bound below the example.
    """
    messages = []
    for dimension in open_dimensions(program):
        bound = bounds.get(dimension.name, dimension.example)
        if bound < dimension.example:
            raise ConfigError(
                f"[shapes] '{dimension.name}': the example's size {dimension.example} exceeds the bound {bound}"
            )
        if dimension.name not in bounds:
            messages.append(
                f"dimension '{dimension.name}' has no upper bound and gets that of the example,"
                f" {dimension.example}; give its torch.export.Dim a max, or [shapes] a bound"
            )
        _set_upper(program, dimension.symbol, bound)
    return messages


def _set_upper(program: ExportedProgram, symbol: sympy.Symbol, upper: int) -> None:
    known = program.range_constraints.get(symbol)
    lower = known.lower if known is not None else 0
    program.range_constraints[symbol] = ValueRanges(min(lower, upper), upper)
