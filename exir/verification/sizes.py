"""Dynamic sizes stay dynamic."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import sympy
from torch.export import ExportedProgram

from exir.error import PassError
from exir.graph.fake_mode import fake_mode_of


@contextmanager
def sizes_kept(programs: Iterable[ExportedProgram], step: str) -> Iterator[None]:
    """Raises a `PassError` when what runs within, `step` of the compiler, gives a dynamic size of `programs` a number.

    An operator that asks a fake tensor for its size as a number gets the example's, and the size is that from there on
    for the whole program: it would run, on inputs of the example's size alone.
    """
    programs = tuple(programs)
    before = _numbers(programs)
    yield
    for symbol, (number, program) in _numbers(programs).items():
        if symbol not in before:
            bounds = program.range_constraints[symbol]
            raise PassError(
                f"{step} takes a dynamic size, {symbol} of {bounds.lower} to {bounds.upper}, for the example's"
                f" {number}; have it run operators on fake tensors within exir.graph.symbolic_dispatch.dispatch_for"
            )


def _numbers(
    programs: Iterable[ExportedProgram],
) -> dict[sympy.Symbol, tuple[sympy.Expr, ExportedProgram]]:
    """Symbols of sizes that stand for a number."""
    found = {}
    for program in programs:
        shapes = fake_mode_of(program.graph).shape_env
        known = shapes.replacements if shapes is not None else {}
        for symbol in program.range_constraints:
            if symbol in known and known[symbol].is_number:
                found[symbol] = (known[symbol], program)
    return found
