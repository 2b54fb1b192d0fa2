"""Constant matrices that are held in blocks, and that a graph makes floats of."""

from dataclasses import dataclass

from torch.fx import Node

from exir.graph.constants import ConstantTable
from exir.graph.quantized_weight import edge_name

_DEQUANTIZE = "quantized_weight::dequantize"


@dataclass(frozen=True)
class BlockConstants:
    """The nodes of a weight's constants: codes of `bits` bits, scales, minima or None."""

    codes: Node
    scales: Node
    minima: Node | None
    bits: int


def is_blocks(node: Node) -> bool:
    """Whether `node` makes floats of blocks."""
    return edge_name(node) == _DEQUANTIZE


def read_blocks(node: Node, constants: ConstantTable) -> BlockConstants | None:
    """What `node` makes floats of; None when that is not constant."""
    codes, scales, minima, bits = node.args
    if any(each is not None and constants.tensor(each) is None for each in (codes, scales, minima)):
        return None
    return BlockConstants(codes, scales, minima, bits)
