"""Fuses dequantized weights into linear layers and embeddings."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import Node

import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operators used below)
from exir.dialects.edge import edge_op
from exir.graph.block_weight import is_blocks, read_blocks
from exir.graph.bodies import run_in_bodies
from exir.graph.dynamic_range import quantized_by_rows
from exir.graph.edit import replace_and_erase
from exir.graph.linear_layers import LinearLayer, linear_layers, of_all_rows
from exir.graph.low_bit import LowBitWeights
from exir.graph.quantized_weight import QuantizedWeight, is_dequantized, origin
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten
_OURS = torch.ops.quantized_weight

_EMBEDDING = edge_op(_ATEN.embedding.default)


@dataclass(frozen=True)
class FuseLowBitLinear(ProgramPass):
    """Fuses the dequantization of a constant weight with its users.

    Before: the edge dialect. After:

    - A linear layer is `quantized_weight::linear` or `linear_with_minimum`; if its input is dynamically
        quantized per row, it is `dynamic_linear`. If its input is quantized in another way, the layer is
        unchanged, because backends compute it in integers.
    - An embedding is an operator of `quantized_decomposed`; if the weight has block quantization, it is
        `quantized_weight::embedding`.

    Their weights are stored in 2, 4 or 8 bits per element.

    layers: whether all linear layers are fused. If False, only layers whose weight has block
        quantization are fused, because no other operator computes them.
    """

    layers: bool = True
    name: ClassVar[str] = "fuse_low_bit_linear"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        self._fuse_in_graph(program)
        run_in_bodies(program, self._fuse_in_graph)
        return program

    def _fuse_in_graph(self, program: ExportedProgram) -> None:
        fusion = _LowBitFusion(LowBitWeights(program), self.layers)
        found = [node for node in program.graph.nodes if is_dequantized(node) or is_blocks(node)]
        for node in found:
            (fusion.visit_blocks if is_blocks(node) else fusion.visit)(node)
        if found:
            program.graph.eliminate_dead_code()


@dataclass
class _LowBitFusion:
    low_bit: LowBitWeights
    layers: bool

    def visit(self, node: Node) -> None:
        """Fuse `node` with the users that take it as a weight."""
        layers = linear_layers(node) if self.layers else []
        embeddings = _embeddings_of(node)
        weight = self.low_bit.weight(node) if layers or embeddings else None
        if weight is None:
            return
        for layer in map(of_all_rows, layers):
            self._fuse_layer(layer, node, weight)
        for embedding in embeddings:
            stored = self.low_bit.stored(node, weight)
            replace_and_erase(embedding, self.low_bit.embedding(embedding, stored, embedding.args[1]))

    def visit_blocks(self, node: Node) -> None:
        """Fuse a block-quantized weight `node` with the users that take it as a weight."""
        weight = read_blocks(node, self.low_bit.constants)
        if weight is None:
            return
        table = (weight.codes, weight.scales, weight.minima)
        for layer in map(of_all_rows, linear_layers(node)):
            op = _OURS.linear if weight.minima is None else _OURS.linear_with_minimum
            arguments = (layer.x, *table, layer.bias, weight.bits)
            replace_and_erase(layer.node, self.low_bit.insert(layer.node, op.default, *arguments))
        for user in _embeddings_of(node):
            new = self.low_bit.insert(user, _OURS.embedding.default, *table, user.args[1], weight.bits)
            replace_and_erase(user, new)

    def _fuse_layer(self, layer: LinearLayer, node: Node, weight: QuantizedWeight) -> None:
        x, op = layer.x, _OURS.linear.default
        if is_dequantized(origin(x)):
            real = quantized_by_rows(origin(x))
            if real is None:
                return
            x, op = self.low_bit.view_like(layer.node, real, x), _OURS.dynamic_linear.default
        if x.meta["val"].dtype != weight.dtype:
            return
        stored = self.low_bit.stored(node, weight)
        arguments = (x, *stored.parameters, layer.bias, weight.bits)
        replace_and_erase(layer.node, self.low_bit.insert(layer.node, op, *arguments))


def _embeddings_of(weight: Node) -> list[Node]:
    """Return the embeddings that take `weight` as their table."""
    return [user for user in weight.users if user.target is _EMBEDDING and user.args[0] is weight]
