"""Constant matrices with block quantization, and the nodes that dequantize them."""

from dataclasses import dataclass

from torch.fx import Node

from exir.graph.constants import ConstantTable
from exir.graph.quantized_weight import edge_name

_DEQUANTIZE = "quantized_weight::dequantize"


@dataclass(frozen=True)
class BlockConstants:
    """The constants of a weight; `codes` contains quantized values of `bits` bits."""

    codes: Node
    scales: Node
    minima: Node | None
    bits: int


def is_blocks(node: Node) -> bool:
    """Return true if `node` dequantizes a block-quantized weight."""
    return edge_name(node) == _DEQUANTIZE


def read_blocks(node: Node, constants: ConstantTable) -> BlockConstants | None:
    """Return the weight that `node` dequantizes; None if it is not constant."""
    codes, scales, minima, bits = node.args
    if any(name is not None and constants.tensor(name) is None for name in (codes, scales, minima)):
        return None
    return BlockConstants(codes, scales, minima, bits)
