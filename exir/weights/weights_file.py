"""Blockwise quantized weights that replace a float parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils._pytree import tree_map_only

import exir.dialects.quantized_weight_ops  # noqa: F401  (registers quantized_weight::dequantize)
from exir.weights.quantized_weights import packed_blocks

_INNER = ("codes", "scales", "minima")
_ATEN = torch.ops.aten

# Operators that return a tensor with the same elements.
_COPIES = {_ATEN.detach.default, _ATEN.alias.default, _ATEN.clone.default}

# Layers that support quantized weights directly.
_LAYERS = {F.linear, F.embedding}


class BlockWeight(Tensor):
    """A float32 matrix [rows, columns] that is stored as low-bit quantized values.

    codes: quantized values: uint8 [rows, columns / 2] for 4 bits, int8 [rows, columns] for 8 bits;
        see `exir.weights.quantized_weights`.
    scales: float16 or float32 [rows, groups]; a group is a range of consecutive columns.
    minima: None for signed values: element = value * scale. Otherwise shaped like `scales`, for
        unsigned values: element = value * scale + minimum.

    `index_select` of rows returns a `BlockWeight`. A linear layer or an embedding with such a
    weight keeps the quantized values in the program. Every other operator receives float32 values.
    """

    codes: Tensor
    scales: Tensor
    minima: Tensor | None
    bits: int

    @staticmethod
    def __new__(cls, codes: Tensor, scales: Tensor, minima: Tensor | None, bits: int) -> BlockWeight:
        shape = (codes.shape[0], codes.shape[1] * (8 // bits))
        return Tensor._make_wrapper_subclass(cls, shape, dtype=torch.float32, device=codes.device)

    def __init__(self, codes: Tensor, scales: Tensor, minima: Tensor | None, bits: int) -> None:
        self.codes, self.scales, self.minima, self.bits = codes, scales, minima, bits

    @classmethod
    def of_codes(cls, codes: Tensor, scales: Tensor, minima: Tensor | None, bits: int) -> BlockWeight:
        """Create a weight from unpacked values: signed, or unsigned if `minima` is given."""
        return cls(packed_blocks(codes, bits, minima is not None), scales, minima, bits)

    def dequantize(self) -> Tensor:
        """Return the matrix in float32."""
        return torch.ops.quantized_weight.dequantize(self.codes, self.scales, self.minima, self.bits)

    def __repr__(self) -> str:  # type: ignore[override]
        group = self.shape[1] // self.scales.shape[1]
        return f"BlockWeight({list(self.shape)}, {self.bits} bits, groups of {group})"

    def __tensor_flatten__(self) -> tuple[list[str], int]:
        return [name for name in _INNER if getattr(self, name) is not None], self.bits

    @classmethod
    def __tensor_unflatten__(
        cls, inner: Mapping[str, Tensor], bits: int, outer_size: Any, outer_stride: Any
    ) -> BlockWeight:
        return cls(inner["codes"], inner["scales"], inner.get("minima"), bits)

    @classmethod
    def __torch_function__(
        cls,
        function: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if function in _LAYERS:
            args, kwargs = _dequantize_blocks((args, kwargs or {}))
            return function(*args, **kwargs)
        with torch._C.DisableTorchFunctionSubclass():
            return function(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls,
        function: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if function in _COPIES:
            return args[0]._map_tensors(function)
        if function is _ATEN.index_select.default and args[1] == 0:
            return args[0]._map_tensors(lambda tensor: function(tensor, *args[1:]))
        args, kwargs = _dequantize_blocks((args, kwargs or {}))
        return function(*args, **kwargs)

    def _map_tensors(self, function: Callable[[Tensor], Tensor]) -> BlockWeight:
        minima = None if self.minima is None else function(self.minima)
        return BlockWeight(function(self.codes), function(self.scales), minima, self.bits)


def _dequantize_blocks(arguments: Any) -> Any:
    return tree_map_only(BlockWeight, BlockWeight.dequantize, arguments)


@dataclass(frozen=True)
class WeightsFile:
    """The content of a weights file.

    tensors: the tensors, by their names in the file; matrices with block quantization are
        `exir.weights.weights_file.BlockWeight`.
    metadata: other entries, by key: values, strings and lists of a `.gguf` file; strings of a
        `.safetensors` file; empty for a state dict.
    """

    tensors: Mapping[str, Tensor]
    metadata: Mapping[str, Any] = field(default_factory=dict)
