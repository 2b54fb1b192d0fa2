"""The methods that are compiled into one program, and the context for passes."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node

from exir.debug.source import source_of
from exir.operators.kernels import KernelTable
from exir.operators.operators import OperatorTable

# Tuples of inputs in the method's order, keyword inputs last, or a function that returns them.
Calls = Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]]


def first_calls(calls: Calls, most: int | None = None) -> list[tuple[Any, ...]]:
    """Return the first `most` calls of `calls`, or all of them if it has fewer."""
    return list(islice(calls() if callable(calls) else calls, most))


@dataclass
class Diagnostics:
    """Messages of passes for the user, in order; `exir.cli` prints them at the end."""

    messages: list[str] = field(default_factory=list)

    def note(self, message: str, node: Node | None = None) -> None:
        """Add a message, with the source line of `node`."""
        source = source_of(node) if node is not None else None
        self.messages.append(f"{message} ({source})" if source else message)


@dataclass
class Warned(Diagnostics):
    """Diagnostics for scripts without a context; messages are also Python warnings."""

    def note(self, message: str, node: Node | None = None) -> None:
        super().note(message, node)
        warnings.warn(self.messages[-1], stacklevel=2)


@dataclass(frozen=True)
class CompilationContext:
    """The target and inputs of a compilation, which passes can read.

    operators, kernels: the operator and kernel tables to compile for, or None.
    target: the config's `[target]` section.
    calibration_inputs: representative inputs of a method: tuples of arguments, or a function that
        returns them; `exir.graph.program_bundle.first_calls` reads both.
    diagnostics: messages of passes for the user.
    owns_programs: whether exported programs are cleared after they are copied, so that replaced
        weights (such as transposed ones) are not in memory twice.
    """

    operators: OperatorTable | None = None
    kernels: KernelTable | None = None
    target: Mapping[str, Any] = field(default_factory=dict)
    calibration_inputs: Mapping[str, Calls] = field(default_factory=dict)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    owns_programs: bool = False


@dataclass(frozen=True)
class ProgramBundle:
    """A model's exported programs, constant methods and compilation context.

    programs: the exported programs, by method name.
    """

    programs: Mapping[str, ExportedProgram]
    constant_methods: Mapping[str, Any] = field(default_factory=dict)
    context: CompilationContext = field(default_factory=CompilationContext)

    def with_programs(self, programs: Mapping[str, ExportedProgram]) -> "ProgramBundle":
        """Return the bundle with these programs; other methods keep theirs."""
        return replace(self, programs={**self.programs, **programs})

    def only(self, methods: Iterable[str]) -> "ProgramBundle":
        """Return the bundle with only these methods."""
        return replace(self, programs={name: self.programs[name] for name in methods})
