"""Replaces constants of tensor subclasses with their inner tensors.

Quantized weights, for example, are tensor subclasses.
"""

from typing import Any

from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node

from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_copy import copy_program

_ACCESS = "export.access_subclass_inner_tensor.default"


def unwrap_subclasses(program: ExportedProgram) -> ExportedProgram:
    """Return `program`, or a copy in which used inner tensors are constants.

    `torch.export` exports such a constant as one value, and reads its inner tensors by name. After: no
    operator accesses an inner tensor of a tensor subclass.
    """
    if not _constant_reads(program):
        return program
    copied = copy_program(program)
    # Remove dead calls of operators that a subclass does not implement directly.
    copied.graph.eliminate_dead_code()
    _SubclassUnwrapper(copied, fake_mode_of(copied.graph)).run(_constant_reads(copied))
    return copied


def _constant_reads(program: ExportedProgram) -> list[Node]:
    calls = program.graph.nodes
    return [node for node in calls if node.op == "call_function" and str(node.target) == _ACCESS]


class _SubclassUnwrapper:
    """Creates one constant node for each inner tensor."""

    def __init__(self, program: ExportedProgram, fake_mode: FakeTensorMode) -> None:
        self._constants = ConstantTable(program, fake_mode)
        self._inner: dict[tuple[str, str], Node] = {}

    def run(self, reads: list[Node]) -> None:
        for node in reads:
            if not _is_read_further(node):
                name, tensor = self._constant_or_inner(node)
                node.replace_all_uses_with(self._constant_node(name, tensor))
        for node in reversed(reads):
            node.graph.erase_node(node)
        self._constants.drop_unused()

    def _constant_or_inner(self, node: Any) -> tuple[str, Any]:
        """Return the name and value of the constant or inner tensor that `node` reads."""
        if node.op == "placeholder":
            return self._constants.name(node), self._constants.tensor(node)
        name, tensor = self._constant_or_inner(node.args[0])
        return f"{name}.{node.args[1]}", getattr(tensor, node.args[1])

    def _constant_node(self, name: str, tensor: Tensor) -> Node:
        key = name, str(tensor.dtype)
        if key not in self._inner:
            self._inner[key] = self._constants.add(name, tensor.detach())
        return self._inner[key]


def _is_read_further(node: Node) -> bool:
    return any(str(user.target) == _ACCESS for user in node.users)
