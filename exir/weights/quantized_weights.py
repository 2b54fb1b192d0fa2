"""Pack and dequantize low-bit weights.

A weight is a matrix of quantized values [rows, columns]. Values of fewer than 8 bits are packed in
a `uint8` matrix, in the layout of ExecuTorch's embeddings. Half of the range is added first, to
make them unsigned.

- 4 bits: two values per byte, the first in the high nibble.
- 2 bits: four values per byte, the first in the lowest bits.

Scales and zero points are [rows] or [rows, groups]; a group is a range of consecutive columns. An
element is (value - zero_point) * scale. Weights of llama.cpp files can have minima instead of zero
points. Their values are unsigned, and an element is value * scale + minimum.
"""

import functools

import torch
from torch import Tensor

_SHIFTS = {2: (0, 2, 4, 6), 4: (4, 0)}


def packed(codes: Tensor, bits: int) -> Tensor:
    """Pack int8 values of 2, 4 or 8 bits."""
    if bits == 8:
        return codes
    return _pack_bits((codes + (1 << bits - 1)).to(torch.uint8), bits)


def _pack_bits(positive: Tensor, bits: int) -> Tensor:
    """Pack unsigned uint8 values, several per byte."""
    shifts = _SHIFTS[bits]
    parts = [positive[..., place :: len(shifts)] << shift for place, shift in enumerate(shifts)]
    return functools.reduce(torch.Tensor.bitwise_or_, parts)


def unpacked(weight: Tensor, bits: int) -> Tensor:
    """Return the values of a weight as int8. 8-bit weights are returned unchanged."""
    if bits == 8:
        return weight
    parts = [(weight >> shift) & ((1 << bits) - 1) for shift in _SHIFTS[bits]]
    return torch.stack(parts, -1).flatten(-2).to(torch.int8) - (1 << bits - 1)


def packed_blocks(codes: Tensor, bits: int, from_zero: bool) -> Tensor:
    """Pack values of 4 or 8 bits: unsigned ones if `from_zero`, otherwise signed."""
    if not from_zero:
        return packed(codes.to(torch.int8), bits)
    positive = codes.to(torch.uint8)
    return (positive ^ 128).view(torch.int8) if bits == 8 else _pack_bits(positive, bits)


def dequantized(weight: Tensor, scales: Tensor, zero_points: Tensor | None, bits: int) -> Tensor:
    """Dequantize a weight to float32, or to the wider dtype of its scales."""
    codes = unpacked(weight, bits).to(torch.promote_types(scales.dtype, torch.float32))
    groups = scales.shape[1] if scales.dim() == 2 else 1
    grouped = codes.unflatten(1, (groups, codes.shape[1] // groups))
    shape = (weight.shape[0], groups, 1)
    if zero_points is not None:
        grouped = grouped - zero_points.reshape(shape)
    return (grouped * scales.reshape(shape)).flatten(1)


def dequantized_blocks(weight: Tensor, scales: Tensor, minima: Tensor | None, bits: int) -> Tensor:
    """Dequantize a weight with scales and optional minima, both [rows, groups].

    Returns float32.
    """
    if minima is None:
        return dequantized(weight, scales.float(), None, bits)
    codes = unpacked(weight, bits).float() + float(1 << bits - 1)
    grouped = codes.unflatten(1, (scales.shape[1], -1))
    return (grouped * scales.float().unsqueeze(-1) + minima.float().unsqueeze(-1)).flatten(1)
