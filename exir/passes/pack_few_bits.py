"""Weights that are dequantized by groups of elements lie in their few bits."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.graph.edit import replace_and_erase
from exir.graph.few_bits import FewBits
from exir.graph.quantized_weight import edge_name
from exir.pass_manager import ProgramPass


@dataclass(frozen=True)
class PackFewBits(ProgramPass):
    """Makes the dequantization of a constant matrix by groups an embedding of all its rows.

    Before: the edge dialect, partitioned. After: such a matrix lies in 2, 4 or 8 bits an element, and what makes floats of it is an
    operator that the official runtime has as well; it has none that dequantizes groups.
    """

    name: ClassVar[str] = "pack_few_bits"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        found = [node for node in program.graph.nodes if _is_of_groups(node)]
        packing = _Packing(FewBits(program))
        for node in found:
            packing.visit(node)
        packing.few_bits.constants.drop_unused()
        return program


def _is_of_groups(node: Node) -> bool:
    return edge_name(node) == "quantized_decomposed::dequantize_per_channel_group"


class _Packing:
    def __init__(self, few_bits: FewBits) -> None:
        self.few_bits = few_bits
        self._rows: dict[int, Node] = {}

    def visit(self, node: Node) -> None:
        weight = self.few_bits.weight(node)
        if weight is not None:
            rows = self._rows_of(len(weight.codes))
            stored = self.few_bits.stored(node, weight)
            replace_and_erase(node, self.few_bits.embedding(node, stored, rows))

    def _rows_of(self, count: int) -> Node:
        """The numbers of as many rows."""
        if count not in self._rows:
            self._rows[count] = self.few_bits.constants.add(f"rows_{count}", torch.arange(count))
        return self._rows[count]
