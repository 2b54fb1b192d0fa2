"""Packs weights with groupwise quantization into 2, 4 or 8 bits per element."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.graph.edit import replace_and_erase
from exir.graph.low_bit import LowBitWeights
from exir.graph.quantized_weight import edge_name
from exir.pass_manager import ProgramPass


@dataclass(frozen=True)
class PackLowBitWeights(ProgramPass):
    """Replaces the groupwise dequantization of constant matrices with embeddings.

    Before: the edge dialect, partitioned. After: such a matrix is stored in 2, 4 or 8 bits per element,
    and an embedding of all rows dequantizes it. The official runtime supports such embeddings, but has
    no operator for groupwise dequantization.
    """

    name: ClassVar[str] = "pack_low_bit_weights"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        found = [node for node in program.graph.nodes if _is_grouped(node)]
        packing = _WeightPacker(LowBitWeights(program))
        for node in found:
            packing.visit(node)
        packing.low_bit.constants.drop_unused()
        return program


def _is_grouped(node: Node) -> bool:
    return edge_name(node) == "quantized_decomposed::dequantize_per_channel_group"


class _WeightPacker:
    def __init__(self, low_bit: LowBitWeights) -> None:
        self.low_bit = low_bit
        self._rows: dict[int, Node] = {}

    def visit(self, node: Node) -> None:
        weight = self.low_bit.weight(node)
        if weight is not None:
            rows = self._rows_of(len(weight.codes))
            stored = self.low_bit.stored(node, weight)
            replace_and_erase(node, self.low_bit.embedding(node, stored, rows))

    def _rows_of(self, count: int) -> Node:
        """Return the constant `arange(count)`, which selects all rows."""
        if count not in self._rows:
            self._rows[count] = self.low_bit.constants.add(f"rows_{count}", torch.arange(count))
        return self._rows[count]
