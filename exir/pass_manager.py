"""Passes over programs, and the pipeline that runs and verifies them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Union

from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

from exir.error import ExirError, PassError
from exir.graph.program_update import with_graph_module, with_names_of_graph
from exir.verification.values import ValueChecker


@dataclass(frozen=True)
class ProgramPass(ABC):
    """One step of the compiler over a whole program.

    A subclass is a frozen dataclass: `name` is how the pipeline's text form spells it, its
    fields are its options, its docstring is its contract (what must hold before, what holds
    after), and `ensures` proves what holds after.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, program: ExportedProgram) -> ExportedProgram:
        """The transformed program: `program` itself, changed in place, or a new one."""

    def ensures(self, program: ExportedProgram) -> None:
        """Raise an `ExirError` when `program` is not as the contract promises."""


# What users may hand in where a pass is wanted.
PassType = Union[ProgramPass, Callable[[GraphModule], PassResult | None]]
Verify = Callable[[ExportedProgram], None]


@dataclass(frozen=True)
class GraphModulePass(ProgramPass):
    """A user's pass over a graph module (an `ExportPass` or a function), run on a program.

    Before: nothing. After: the program holds the graph module that the pass returned, its
    signature names that graph's inputs and outputs.
    """

    function: Callable[[GraphModule], PassResult | None]
    name: ClassVar[str] = "graph_module_pass"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        result = self.function(program.graph_module)
        return program if result is None else with_graph_module(program, result.graph_module)


def as_program_pass(given: PassType) -> ProgramPass:
    """`given` as a pass over programs."""
    return given if isinstance(given, ProgramPass) else GraphModulePass(given)


def pass_name(given: PassType) -> str:
    """How messages name a pass: its text name, its function's or its class's name."""
    if isinstance(given, GraphModulePass):
        given = given.function
    own = getattr(given, "name", None) or getattr(given, "__name__", None)
    return own if isinstance(own, str) else type(given).__name__


def run_passes(
    program: ExportedProgram, passes: Iterable[PassType], verify: Verify | None = None
) -> ExportedProgram:
    """Run `passes` in order, checking each one's promise, and with `verify` the IR after each
    and that values are what the nodes compute.

    Raises `PassError` with the pass's name and, where one is to blame, the node.
    """
    checks: list[Verify] = [] if verify is None else [verify, ValueChecker(program)]
    for each in passes:
        program = _run_one(as_program_pass(each), program, checks)
    return program


def _run_one(
    each: ProgramPass, program: ExportedProgram, checks: Iterable[Verify]
) -> ExportedProgram:
    try:
        program = with_names_of_graph(each.run(program))
        each.ensures(program)
        for check in checks:
            check(program)
    except ExirError as error:
        error.pass_name = error.pass_name or pass_name(each)
        raise
    except Exception as error:
        raise PassError(f"pass '{pass_name(each)}' failed: {error}") from error
    return program
