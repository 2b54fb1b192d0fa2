"""Check that a compiler step does not specialize dynamic sizes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import sympy
from torch.export import ExportedProgram

from exir.error import PassError
from exir.graph.fake_mode import fake_mode_of


@contextmanager
def check_sizes_unchanged(programs: Iterable[ExportedProgram], step: str, remedy: str) -> Iterator[None]:
    """Raise a `PassError` if the body specializes a dynamic size of `programs`.

    step: the name of the compiler step that runs in the body.
    remedy: the end of the message.

    An operator that converts a fake tensor's size to an int gets the example's size. The whole
    program then has that fixed size, and fails for inputs of other sizes.
    """
    programs = tuple(programs)
    before = _specialized_symbols(programs)
    yield
    for symbol, (number, program) in _specialized_symbols(programs).items():
        if symbol not in before:
            bounds = program.range_constraints[symbol]
            raise PassError(
                f"{step}: specializes the dynamic size {symbol} ({bounds.lower} to {bounds.upper}) "
                f"to the example's value {number}; {remedy}"
            )


def _specialized_symbols(
    programs: Iterable[ExportedProgram],
) -> dict[sympy.Symbol, tuple[sympy.Expr, ExportedProgram]]:
    """Return the size symbols that are specialized to a number."""
    found = {}
    for program in programs:
        shapes = fake_mode_of(program.graph).shape_env
        known = shapes.replacements if shapes is not None else {}
        for symbol in program.range_constraints:
            if symbol in known and known[symbol].is_number:
                found[symbol] = (known[symbol], program)
    return found
