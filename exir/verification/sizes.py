"""Checks dynamic sizes: of steps that must not specialize them, and of inputs."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

import sympy
from torch.export import ExportedProgram
from torch.utils._sympy.functions import Mod, PythonMod
from torch.utils._sympy.value_ranges import bound_sympy

from exir.error import PassError
from exir.graph.fake_mode import fake_mode_of
from exir.graph.input_bounds import named_sizes
from exir.verification.assumptions import assumed_branches, is_branch


@contextmanager
def check_sizes_unchanged(
    programs: Collection[ExportedProgram], step: str, remedy: str
) -> Iterator[None]:
    """Raise a `PassError` if the body specializes a dynamic size of `programs`.

    step: the name of the compiler step that runs in the body.
    remedy: the end of the message.

    An operator that converts a fake tensor's size to an int gets the example's size. The whole
    program then has that fixed size, and fails for inputs of other sizes.
    """
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
    programs: Collection[ExportedProgram],
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


def satisfies_guards(program: ExportedProgram, sizes: Mapping[sympy.Symbol, int]) -> bool:
    """Return true unless `sizes` violate an assumed equality or branch.

    Examples are `rows * columns == 12` for a split into 12 tensors of one row, a size that is 1 for the
    example and is broadcast, and `if rows > columns` or `if rows == 0` in a module. torch.export does
    not include them in the ranges of symbols.
    """
    shape_env = fake_mode_of(program.graph).shape_env
    guards = [] if shape_env is None else shape_env.guards
    required = [guard.expr for guard in guards if isinstance(guard.expr, sympy.Eq) or is_branch(guard)]
    values = {symbol: sympy.Integer(size) for symbol, size in sizes.items()}
    return all(
        condition.xreplace(values) != sympy.false
        for condition in (*required, *assumed_branches(program))
    )


def assumed_values(program: ExportedProgram) -> list[str]:
    """Return the expressions of input sizes that torch.export fixed for the example.

    An example is `7*n + Mod(n, 4) == 24` for an input `n`. The ranges of the symbols do not contain the
    equality. Divisibility, such as `Mod(n, 4) == 0`, is not included: PyTorch itself requires it.
    """
    shape_env = fake_mode_of(program.graph).shape_env
    guards = [] if shape_env is None else [guard.expr for guard in shape_env.guards]
    names = {
        size.node.expr: sympy.Symbol(name)
        for name, size in named_sizes(program)
        if isinstance(size.node.expr, sympy.Symbol)
    }
    found = {
        f"{guard.lhs.xreplace(names)} == {guard.rhs}"
        for guard in guards
        if isinstance(guard, sympy.Eq)
        and guard.rhs.is_Integer
        and not isinstance(guard.lhs, (Mod, PythonMod))
        and guard.free_symbols <= set(names)
        and not bound_sympy(guard.lhs, program.range_constraints).is_singleton()
    }
    return sorted(found)
