"""`InitializedMutableBufferPass`: stores the initial values of mutable buffers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram

from exir.pass_manager import ProgramPass
from exir.passes.insert_write_back_for_buffers_pass import mutation_targets


@dataclass(frozen=True)
class InitializedMutableBufferPass(ProgramPass):
    """Stores the initial values of mutable buffers even if they are all zero.

    Before: no condition. After: the placeholders of mutable buffers whose qualified names contain one
    of `patterns` have `meta["initial_state"]`. Values other than zero are always stored.
    """

    patterns: Sequence[str]
    name: ClassVar[str] = "initialized_mutable_buffer"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        mutated = set(mutation_targets(program).values())
        placeholders = program.graph.find_nodes(op="placeholder")
        for node, spec in zip(placeholders, program.graph_signature.input_specs):
            if node in mutated and any(pattern in (spec.target or "") for pattern in self.patterns):
                node.meta["initial_state"] = True
        return program
