"""Removes unused constants from the program."""

from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram

from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.pass_manager import ProgramPass


@dataclass(frozen=True)
class DropUnusedConstants(ProgramPass):
    """Removes dead operators, then constants without users.

    Before: the edge dialect. After: every parameter, buffer and lifted tensor of the signature has a
    user or is mutated; user inputs are unchanged.
    """

    name: ClassVar[str] = "drop_unused_constants"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        program.graph.eliminate_dead_code()
        ConstantTable(program, fake_mode_of(program.graph)).drop_unused()
        return program
