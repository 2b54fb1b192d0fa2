"""Quantized tensors in int8 or uint8, and their quantization parameters."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.fx import Node

from exir.graph.constants import ConstantTable
from exir.graph.quantized_weight import edge_name

# torch registers these operators late, so they are matched by name.
_QUANTIZE = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE = "quantized_decomposed::dequantize_per_tensor"
_DEQUANTIZE_CHANNELS = "quantized_decomposed::dequantize_per_channel"


@dataclass(frozen=True)
class QuantParams:
    """Quantization parameters: q represents (q - zero_point) * scale.

    Quantized values are in [low, high].
    """

    scale: float
    zero_point: int
    low: int
    high: int
    dtype: torch.dtype

    def quantize(self, value: float) -> int:
        """Quantize `value`."""
        steps = torch.round(torch.tensor(value, dtype=torch.float32) * (1.0 / self.scale))
        return int((steps + self.zero_point).clamp(self.low, self.high))

    def values(self) -> Tensor:
        """Return the dequantized values of all elements of the dtype, in order."""
        limits = torch.iinfo(self.dtype)
        quantized = torch.arange(limits.min, limits.max + 1)
        return (quantized - self.zero_point).to(torch.float32) * self.scale


@dataclass(frozen=True)
class QuantizedTensor:
    """A quantized tensor; `node` is int8 or uint8."""

    node: Node
    params: QuantParams


def is_quantizing(node: Node) -> bool:
    """Return true if `node` quantizes with one scale."""
    return edge_name(node) == _QUANTIZE


def quantized_source(node: object) -> QuantizedTensor | None:
    """Return the quantized tensor that `node` dequantizes."""
    params = _params_of(node, _DEQUANTIZE)
    return (
        QuantizedTensor(node.args[0], params) if params is not None and isinstance(node, Node) else None
    )


def quantize_params(node: object) -> QuantParams | None:
    """Return the parameters with which `node` quantizes to int8 or uint8."""
    return _params_of(node, _QUANTIZE)


def _params_of(node: object, operator: str) -> QuantParams | None:
    if not isinstance(node, Node) or edge_name(node) != operator or node.kwargs:
        return None
    _, scale, zero_point, low, high, dtype = node.args
    if dtype not in (torch.int8, torch.uint8) or isinstance(scale, Node):
        return None
    return QuantParams(scale, zero_point, low, high, dtype)


@dataclass(frozen=True)
class Int8Weight:
    """An int8 weight: `node` is [rows, ...] with zero point 0, `scales` is [rows]."""

    node: Node
    scales: Tensor


def int8_weight(node: Node, constants: ConstantTable) -> Int8Weight | str:
    """Return the constant weight that `node` dequantizes, or why it has none."""
    if edge_name(node) not in (_DEQUANTIZE, _DEQUANTIZE_CHANNELS):
        return "its weight is float"
    quantized = constants.tensor(node.args[0])
    if quantized is None:
        return "its weight is computed, not a constant"
    if quantized.dtype != torch.int8:
        return f"its weight is {str(quantized.dtype).removeprefix('torch.')}, not int8"
    scales, zero_points = (_constant_tensor(arg, constants) for arg in node.args[1:3])
    if scales is None or zero_points is None or zero_points.any():
        return "its weight has nonzero zero points"
    if edge_name(node) == _DEQUANTIZE_CHANNELS and node.args[3] != 0:
        return f"its weight has scales along dimension {node.args[3]}"
    return Int8Weight(node.args[0], scales.float().expand(quantized.shape[0]))


def _constant_tensor(value: object, constants: ConstantTable) -> Tensor | None:
    return constants.tensor(value) if isinstance(value, Node) else torch.tensor(value)


def constant_floats(node: Node, constants: ConstantTable) -> Tensor | None:
    """Return the constant that `node` represents or dequantizes, in float."""
    if edge_name(node) not in (_DEQUANTIZE, _DEQUANTIZE_CHANNELS):
        return constants.tensor(node)
    args = [_quantized_operand(arg, constants) for arg in node.args]
    if any(arg is None for arg in args):
        return None
    found: Tensor = node.target._op(*args)
    return found


def _quantized_operand(value: object, constants: ConstantTable) -> object:
    return constants.tensor(value) if isinstance(value, Node) else value
