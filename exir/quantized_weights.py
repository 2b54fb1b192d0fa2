"""Weights of few bits: packing them into bytes, and what they stand for.

A weight is a matrix of codes, [rows, columns]. Of fewer than eight bits they lie in a `uint8` matrix of rows, as ExecuTorch's
embeddings have them: two codes of four bits a byte, the first in the high half; four codes of two bits, the first in
the lowest; each plus half of its range. Scales and zero points are [rows] or [rows, groups]; a group is consecutive
columns, and an element is (code - zero point) * scale. In a weight that has minima in place of zero points, as files of
llama.cpp have them, codes count from 0 up, and an element is code * scale + minimum.
"""

import functools

import torch
from torch import Tensor

_SHIFTS = {2: (0, 2, 4, 6), 4: (4, 0)}


def packed(codes: Tensor, bits: int) -> Tensor:
    """int8 codes in as few bytes as `bits` of 2, 4 or 8 allow."""
    if bits == 8:
        return codes
    return _joined((codes + (1 << bits - 1)).to(torch.uint8), bits)


def _joined(positive: Tensor, bits: int) -> Tensor:
    """uint8 codes that count from 0 up, several a byte."""
    shifts = _SHIFTS[bits]
    parts = [positive[..., place :: len(shifts)] << shift for place, shift in enumerate(shifts)]
    return functools.reduce(torch.Tensor.bitwise_or_, parts)


def unpacked(weight: Tensor, bits: int) -> Tensor:
    """The codes of a weight: int8, or as they lie where a code is a byte."""
    if bits == 8:
        return weight
    parts = [(weight >> shift) & ((1 << bits) - 1) for shift in _SHIFTS[bits]]
    return torch.stack(parts, -1).flatten(-2).to(torch.int8) - (1 << bits - 1)


def packed_blocks(codes: Tensor, bits: int, from_zero: bool) -> Tensor:
    """Codes of `bits` of 4 or 8 as they lie in bytes: signed ones, or such as count from 0 up."""
    if not from_zero:
        return packed(codes.to(torch.int8), bits)
    positive = codes.to(torch.uint8)
    return (positive ^ 128).view(torch.int8) if bits == 8 else _joined(positive, bits)


def dequantized(weight: Tensor, scales: Tensor, zero_points: Tensor | None, bits: int) -> Tensor:
    """The matrix that a weight stands for, in float32 or what its scales are wider in."""
    codes = unpacked(weight, bits).to(torch.promote_types(scales.dtype, torch.float32))
    groups = scales.shape[1] if scales.dim() == 2 else 1
    grouped = codes.unflatten(1, (groups, codes.shape[1] // groups))
    shape = (weight.shape[0], groups, 1)
    if zero_points is not None:
        grouped = grouped - zero_points.reshape(shape)
    return (grouped * scales.reshape(shape)).flatten(1)


def dequantized_blocks(weight: Tensor, scales: Tensor, minima: Tensor | None, bits: int) -> Tensor:
    """The float32 matrix of a weight that has minima, or scales alone; both [rows, groups]."""
    if minima is None:
        return dequantized(weight, scales.float(), None, bits)
    codes = unpacked(weight, bits).float() + float(1 << bits - 1)
    grouped = codes.unflatten(1, (scales.shape[1], -1))
    return (grouped * scales.float().unsqueeze(-1) + minima.float().unsqueeze(-1)).flatten(1)
