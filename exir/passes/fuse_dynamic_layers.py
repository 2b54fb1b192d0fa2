"""Fuses linear layers whose input is dynamically quantized per tensor."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import Node

import exir.dialects.quantized_weight_ops  # noqa: F401  (registers the operator used below)
from exir.graph.dynamic_range import quantized_as_whole
from exir.graph.edit import replace_and_erase
from exir.graph.linear_layers import LinearLayer, linear_layers, of_all_rows
from exir.graph.low_bit import LowBitWeights
from exir.graph.quantized_weight import is_dequantized, origin
from exir.pass_manager import ProgramPass

_LINEAR = torch.ops.quantized_weight.dynamic_linear_per_tensor.default


@dataclass(frozen=True)
class FuseDynamicLayers(ProgramPass):
    """Fuses per-tensor dynamic int8 quantization with a linear layer.

    Before: the edge dialect, partitioned. After: such layers are
    `quantized_weight::dynamic_linear_per_tensor`, whose weights are stored in 2, 4 or 8 bits per
    element. The pass runs after partitioning, because backends match the unfused pattern.
    """

    name: ClassVar[str] = "fuse_dynamic_layers"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        weights = list(filter(is_dequantized, program.graph.nodes))
        low_bit = LowBitWeights(program)
        for weight in weights:
            for layer in map(of_all_rows, linear_layers(weight)):
                _fuse_layer(layer, weight, low_bit)
        if weights:
            program.graph.eliminate_dead_code()
            low_bit.constants.drop_unused()
        return program


def _fuse_layer(layer: LinearLayer, dequantized: Node, low_bit: LowBitWeights) -> None:
    found = quantized_as_whole(origin(layer.x)) if is_dequantized(origin(layer.x)) else None
    weight = None if found is None else low_bit.weight(dequantized)
    if found is None or weight is None or layer.x.meta["val"].dtype != weight.dtype:
        return
    real, eps = found
    x = low_bit.view_like(layer.node, real, layer.x)
    stored = low_bit.stored(dequantized, weight)
    arguments = (x, *stored.parameters, layer.bias, weight.bits, eps)
    replace_and_erase(layer.node, low_bit.insert(layer.node, _LINEAR, *arguments))
