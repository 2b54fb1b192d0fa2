"""Quantized constants and their dequantized values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from exir.dialects.edge import to_torch_overload

# Torch registers these operators only when a program is quantized, so they are compared by name.
PER_TENSOR = "quantized_decomposed::dequantize_per_tensor"
PER_CHANNEL = "quantized_decomposed::dequantize_per_channel"


@dataclass(frozen=True, eq=False)
class QuantizedConstant:
    """A constant that is quantized symmetrically per row.

    values: quantized values, int8 [N, ...].
    scales: scale of each row, float32 [N].
    """

    values: Tensor
    scales: Tensor


class QuantizedConstants:
    """Maps dequantized constants to their quantized values.

    Constants are identified by their data pointer and number of elements, so reshaped views are
    also found.
    """

    def __init__(self) -> None:
        self._dequantized: dict[Node, Tensor] = {}
        self._quantized: dict[int, QuantizedConstant] = {}

    def dequantized(self, node: Node, constant: Callable[[object], Tensor | None]) -> Tensor | None:
        """Return the result of `node` if it dequantizes constants; otherwise, None."""
        if node not in self._dequantized and _name(node) in (PER_TENSOR, PER_CHANNEL):
            tensors = [constant(source) for source in node.all_input_nodes]
            if all(tensor is not None for tensor in tensors):
                self._add(node, [constant(each) if isinstance(each, Node) else each for each in node.args])
        return self._dequantized.get(node)

    def quantized(self, tensor: Tensor) -> QuantizedConstant | None:
        """Return the quantized values of a dequantized constant, or None.

        Only constants that are quantized per row to int8 with zero point 0 are found.
        """
        found = self._quantized.get(tensor.data_ptr())
        return found if found is not None and found.values.numel() == tensor.numel() else None

    def _add(self, node: Node, args: list[Any]) -> None:
        operator = to_torch_overload(node.target)
        assert operator is not None
        tensor = operator(*args).contiguous()
        self._dequantized[node] = tensor
        values, scales, zero_points, axis = args[0], args[1], args[2], args[3]
        if _name(node) == PER_TENSOR:
            scales, zero_points, axis = torch.tensor([scales]), torch.tensor([zero_points]), 0
        is_plain = values.dtype == torch.int8 and axis == 0 and (zero_points is None or not zero_points.any())
        if is_plain and values.dim() > 0:
            self._quantized[tensor.data_ptr()] = QuantizedConstant(values, scales.float().expand(values.shape[0]))


def _name(node: Node) -> str | None:
    operator = to_torch_overload(node.target)
    return operator.name() if operator is not None else None
