"""Searches scales of 4-bit weights for the smallest squared error."""

import torch
from torch import Tensor
from torchao.quantization import IntxUnpackedToInt8Tensor

_LOWEST, _HIGHEST = -8, 7

# Candidates for a scale, as factors of the one that maps the largest absolute value to -8. Smaller
# scales clip it, and have smaller steps for all other elements.
_FACTORS = (0.85, 0.95, 1.05, 1.15)

# Each step computes the best scale for the rounded elements, and rounds again.
_STEPS = 2

# Number of elements that are searched at a time, to limit memory.
_CHUNK = 1 << 20


@torch.no_grad()
def search_scales(weight: IntxUnpackedToInt8Tensor, original: Tensor) -> None:
    """Replace the scales and elements of a 4-bit weight in place.

    original: the weight before quantization, [rows, columns]. A group keeps its scale if no
        candidate has a smaller squared error. Scales stay positive, which backends require.
    """
    group = weight.block_size[-1]
    scales, elements = weight.scale.reshape(-1, 1), weight.qdata.reshape(-1, group)
    groups = original.reshape(-1, group)
    for first in range(0, len(groups), max(1, _CHUNK // group)):
        chunk = slice(first, first + max(1, _CHUNK // group))
        _search_groups(groups[chunk].float(), scales[chunk], elements[chunk])


def _search_groups(groups: Tensor, scales: Tensor, elements: Tensor) -> None:
    """Search the scales of `groups`, [n, group]. Updates scales, [n, 1], and elements."""
    least = _squared_error(groups, scales, elements)
    largest = groups.abs().amax(1, keepdim=True)
    for factor in _FACTORS:
        scale = (largest * (factor / -_LOWEST)).to(scales.dtype)
        for _ in range(_STEPS):
            scale = _best_scale(groups, _round(groups, scale), scale)
        rounded = _round(groups, scale)
        error = _squared_error(groups, scale, rounded)
        is_better = error < least
        least = torch.where(is_better, error, least)
        scales.copy_(torch.where(is_better, scale, scales))
        elements.copy_(torch.where(is_better, rounded, elements))


def _round(groups: Tensor, scale: Tensor) -> Tensor:
    return (groups / scale.float()).round().clamp(_LOWEST, _HIGHEST)


def _best_scale(groups: Tensor, elements: Tensor, scale: Tensor) -> Tensor:
    """Return the scale with the smallest squared error for `elements`.

    The error `sum((x - s * q)**2)` is smallest at `s = sum(x * q) / sum(q * q)`.
    """
    best = (groups * elements).sum(1, keepdim=True) / elements.square().sum(1, keepdim=True)
    return torch.where(best > 0, best.to(scale.dtype), scale)


def _squared_error(groups: Tensor, scale: Tensor, elements: Tensor) -> Tensor:
    return (groups - scale.float() * elements).square().sum(1, keepdim=True)
