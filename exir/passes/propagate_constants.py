"""Operators on constants alone are computed at compile time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.node import map_arg

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operators used below)
from exir.dialects.edge import EdgeOpOverload
from exir.graph.constants import ConstantTable
from exir.graph.edit import replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.square_root import square_root
from exir.operators.facts_of import facts_of
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten

# Operators that are foldable, but of which torch's own kernel depends on the processor.
_EXACT: Mapping[OpOverload, Callable[..., Tensor]] = {_ATEN.sqrt.default: square_root}


@dataclass(frozen=True)
class PropagateConstants(ProgramPass):
    """Replaces operators whose operands are all constants by their result.

    Before: the edge dialect. After: the weight of a linear layer is stored as its
    matrix product reads it, [K, N], and no foldable operator stands on constants alone,
    unless its result is larger than its operands together and than `max_growth`.

    max_growth: bytes.
    """

    max_growth: int = 4096
    name: ClassVar[str] = "propagate_constants"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        constants = ConstantTable(program, fake_mode_of(program.graph))
        for node in list(program.graph.nodes):
            if self._is_candidate(node, constants):
                _fold(node, constants)
        constants.drop_unused()
        return program

    def _is_candidate(self, node: Node, constants: ConstantTable) -> bool:
        if not isinstance(node.target, EdgeOpOverload) or not facts_of(node.target._op).foldable:
            return False
        tensors = [constants.tensor(source) for source in node.all_input_nodes]
        known = [tensor for tensor in tensors if tensor is not None]
        if not known or len(known) < len(tensors):
            return False
        return bool(
            node.meta["val"].nbytes <= max(self.max_growth, sum(tensor.nbytes for tensor in known))
        )


def _fold(node: Node, constants: ConstantTable) -> None:
    args, kwargs = map_arg((node.args, node.kwargs), constants.tensor)
    with torch.no_grad():
        operator = node.target._op
        result = _EXACT.get(operator, operator)(*args, **kwargs)
    replace_and_erase(node, _as_constant(node, result, constants))


def _as_constant(node: Node, result: Tensor, constants: ConstantTable) -> Node:
    source = node.all_input_nodes[0]
    if len(node.all_input_nodes) == 1 and source.meta["val"].nbytes == result.nbytes:
        return constants.with_value(source, result)
    return constants.add(constants.name(source), result)
