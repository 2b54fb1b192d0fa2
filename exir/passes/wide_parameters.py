"""Converts scales and zero points to the dtypes of the official runtime's kernels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operator used below)
from exir.graph.control_flow import graphs
from exir.graph.edit import insert_before
from exir.graph.fake_mode import fake_mode_of
from exir.graph.quantized_weight import edge_name
from exir.pass_manager import ProgramPass

_COPY = torch.ops.dim_order_ops._to_dim_order_copy.default
_OPERATORS = frozenset(
    f"quantized_decomposed::{verb}_per_{group}"
    for verb in ("quantize", "dequantize")
    for group in ("channel", "token")
)
# The required dtypes of the scale and the zero point, by argument position.
_DTYPES: Mapping[int, torch.dtype] = {1: torch.float64, 2: torch.int64}


@dataclass(frozen=True)
class WideParameters(ProgramPass):
    """Converts per-channel and per-token scales to float64, and zero points to int64.

    The official runtime's kernels accept no other dtypes. Before: the edge dialect. After: operators
    that quantize or dequantize per channel or per token have such parameters, with the same values.
    """

    name: ClassVar[str] = "wide_parameters"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        fake_mode = fake_mode_of(program.graph)
        for graph_module in graphs(program.graph_module):
            for node in list(graph_module.graph.nodes):
                if edge_name(node) in _OPERATORS:
                    for place, dtype in _DTYPES.items():
                        _widen_operand(node, place, dtype, fake_mode)
        return program


def _widen_operand(node: Node, place: int, dtype: torch.dtype, fake_mode: Any) -> None:
    operand = node.args[place] if place < len(node.args) else None
    if (
        isinstance(operand, Node)
        and isinstance(operand.meta["val"], Tensor)
        and operand.meta["val"].dtype != dtype
    ):
        node.update_arg(place, insert_before(node, _COPY, (operand,), {"dtype": dtype}, fake_mode))
