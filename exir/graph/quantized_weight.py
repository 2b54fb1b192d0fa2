"""Constant matrices that a graph dequantizes."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from exir.dialects.edge import EdgeOpOverload
from exir.graph.constants import ConstantTable
from exir.operators.properties_of import properties_of

_PREFIX = "quantized_decomposed::dequantize_"


@dataclass(frozen=True)
class QuantizedWeight:
    """A matrix [rows, columns] of quantized values.

    Scales and zero points are [rows, groups].

    codes: quantized values in int8.
    zero_points: in the dtype of the scales; None if all are zero.
    bits: bits per quantized value: 2, 4 or 8.
    dtype: the dtype after dequantization.
    """

    name: str
    codes: Tensor
    scales: Tensor
    zero_points: Tensor | None
    bits: int
    dtype: torch.dtype

    @property
    def limits(self) -> tuple[int, int]:
        half = 1 << self.bits - 1
        return -half, half - 1


def origin(value: object) -> Any:
    """Return the value that `value` is a view or a cast of."""
    while isinstance(value, Node) and isinstance(value.target, EdgeOpOverload):
        properties = properties_of(value.target._op)
        if not (properties.view_of or properties.copy_of):
            return value
        value = value.args[0]
    return value


def is_dequantized(node: object) -> bool:
    """Return true if `node` is a dequantization of `quantized_decomposed`."""
    return isinstance(node, Node) and edge_name(node).startswith(_PREFIX)


def edge_name(node: Node) -> str:
    """Return the operator of `node`, such as `aten::add.Tensor` or `aten::mm`.

    The default overload has no suffix. The result is empty for other calls.
    """
    return node.target._op.name() if isinstance(node.target, EdgeOpOverload) else ""


def read_weight(node: Node, constants: ConstantTable) -> QuantizedWeight | None:
    """Return the constant matrix that `node` dequantizes, or None."""
    if not is_dequantized(node) or node.meta["val"].dim() != 2:
        return None
    codes = constants.tensor(node.args[0])
    if codes is None or codes.dtype not in (torch.int8, torch.uint8):
        return None
    parameters = _quant_params(node, codes.shape[0], constants)
    if parameters is None:
        return None
    return _weight_of_codes(constants.name(node.args[0]), codes, *parameters, node.meta["val"].dtype)


def _quant_params(
    node: Node, rows: int, constants: ConstantTable
) -> tuple[Tensor, Tensor | None] | None:
    """Return scales and zero points by groups of rows; None for other forms."""
    kind = edge_name(node).removeprefix(_PREFIX).partition(".")[0]
    if kind == "per_tensor":
        scale, zero_point = node.args[1:3]
        if isinstance(scale, Node):
            return None
        return torch.full((rows, 1), scale), torch.full((rows, 1), float(zero_point))
    if kind == "per_channel" and node.args[3] not in (0, -2):
        return None
    scales, zero_points = (constants.tensor(origin(arg)) for arg in node.args[1:3])
    if scales is None or (zero_points is None and node.args[2] is not None):
        return None
    scales = scales.to(_default_range(scales.dtype)).reshape(rows, -1)
    return scales, None if zero_points is None else zero_points.reshape(rows, -1)


def _default_range(dtype: torch.dtype) -> torch.dtype:
    return torch.float32 if dtype == torch.float64 else dtype


def _weight_of_codes(
    name: str, codes: Tensor, scales: Tensor, zero_points: Tensor | None, dtype: torch.dtype
) -> QuantizedWeight | None:
    points = None if zero_points is None else zero_points.to(scales.dtype)
    if codes.dtype == torch.uint8:
        # Subtract half of the range from values and zero points; values below 16 get a 4-bit range.
        half = 8 if bool((codes < 16).all()) else 128
        points = (torch.zeros_like(scales) if points is None else points) - half
        codes = (codes.to(torch.int16) - half).to(torch.int8)
    if points is not None and not points.any():
        points = None
    if codes.shape[1] == 0 or codes.shape[1] % scales.shape[1]:
        return None
    return QuantizedWeight(name, codes, scales, points, _min_bits(codes), dtype)


def _min_bits(codes: Tensor) -> int:
    """Return the smallest bit width that fits the values, with whole bytes per row."""
    low, high = int(codes.min()), int(codes.max())
    for bits in (2, 4):
        half = 1 << bits - 1
        if -half <= low and high < half and codes.shape[1] % (8 // bits) == 0:
            return bits
    return 8
