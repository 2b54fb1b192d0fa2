"""All that is compiled into one program, and what is known about where it shall run."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node

from exir.calibration import Calls
from exir.operators.kernels import KernelTable
from exir.operators.operators import OperatorTable
from exir.source import source_of


@dataclass
class Diagnostics:
    """What passes want the user to know, in order; `exir.cli` prints it when it has compiled."""

    messages: list[str] = field(default_factory=list)

    def note(self, message: str, node: Node | None = None) -> None:
        """Add a message, with the line of the model that `node` stems from."""
        source = source_of(node) if node is not None else None
        self.messages.append(f"{message} ({source})" if source else message)


@dataclass
class Warned(Diagnostics):
    """Of scripts that give no facts, and so would read no messages: each is a warning of Python's too."""

    def note(self, message: str, node: Node | None = None) -> None:
        super().note(message, node)
        warnings.warn(self.messages[-1], stacklevel=2)


@dataclass(frozen=True)
class Facts:
    """What passes may know beside the programs.

    operators, kernels: the tables to compile for; None where none is given.
    target: what the configuration says of the device, key → value.
    calibration_inputs: of a method, inputs like those it will see, each a tuple of arguments, or a function that gives
        them; `exir.calibration.first_calls` reads either.
    diagnostics: where passes tell the user something.
    owns_programs: the exported programs are emptied when they have been copied, so that weights which a pass
        replaces (by their transposes) are not held twice.
    """

    operators: OperatorTable | None = None
    kernels: KernelTable | None = None
    target: Mapping[str, Any] = field(default_factory=dict)
    calibration_inputs: Mapping[str, Calls] = field(default_factory=dict)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    owns_programs: bool = False


@dataclass(frozen=True)
class ProgramBundle:
    """The methods of one model, each a program, with its constant methods and the facts."""

    programs: Mapping[str, ExportedProgram]
    constant_methods: Mapping[str, Any] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)

    def with_programs(self, programs: Mapping[str, ExportedProgram]) -> "ProgramBundle":
        """The same around other programs; methods that are not among `programs` stay."""
        return replace(self, programs={**self.programs, **programs})

    def only(self, methods: Iterable[str]) -> "ProgramBundle":
        """The same with these methods alone."""
        return replace(self, programs={name: self.programs[name] for name in methods})
