"""`DistinctOutputsPass`: makes every output a distinct tensor."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.fx import Node

from exir.error import internal_assert
from exir.graph.in_place import clone_before
from exir.graph.program_update import with_graph_module
from exir.pass_manager import ProgramPass


@dataclass(frozen=True)
class DistinctOutputsPass(ProgramPass):
    """Copies outputs that are inputs, constants or states, or that are returned twice.

    The pass is needed if the caller provides the memory of outputs: a value has one address, and an
    input cannot be at the address of an output. Before: no condition. After: each user output that is a
    tensor is the result of a call, and no two outputs are the same value.
    """

    name: ClassVar[str] = "distinct_outputs"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        output = program.graph.output_node()
        values = list(output.args[0])
        seen: set[Node] = set()
        for index in _user_outputs(program):
            if values[index].op == "placeholder" or values[index] in seen:
                values[index] = clone_before(output, values[index])
            seen.add(values[index])
        output.args = (tuple(values),)
        return with_graph_module(program, program.graph_module)

    def ensures(self, program: ExportedProgram) -> None:
        values = program.graph.output_node().args[0]
        outputs = [values[index] for index in _user_outputs(program)]
        internal_assert(len(set(outputs)) == len(outputs), "an output is returned twice")


def _user_outputs(program: ExportedProgram) -> list[int]:
    """Return the indices of the user's output tensors."""
    specs = program.graph_signature.output_specs
    values = program.graph.output_node().args[0]
    return [
        index
        for index, (value, spec) in enumerate(zip(values, specs))
        if spec.kind is OutputKind.USER_OUTPUT
        and isinstance(value, Node)
        and isinstance(value.meta["val"], torch.Tensor)
    ]
