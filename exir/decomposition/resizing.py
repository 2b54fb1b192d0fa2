"""Decomposes resizing of uint8 images.

As in PyTorch, columns are resized first, then rows. Weights are 16-bit integers, and each pass rounds to
uint8.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

_ATEN = torch.ops.aten
_Size = Any  # an int or a SymInt
_MAX_BITS = 22
"""Maximum number of fractional bits of a weight."""


def _linear_weights(offset: Tensor) -> list[Tensor]:
    return [1 - offset, offset]


def _cubic_weights(offset: Tensor) -> list[Tensor]:
    """Return the weights of four neighbors, by Keys' kernel (1981) with A = -0.75."""

    def near(x: Tensor) -> Tensor:
        return ((1.25 * x) - 2.25) * x * x + 1

    def far(x: Tensor) -> Tensor:
        return ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0

    return [far(offset + 1), near(offset), near(1 - offset), far(2 - offset)]


_Weights = Callable[[Tensor], list[Tensor]]


def _resize_dim(
    x: Tensor, dim: int, size: _Size, scale: float | None, align_corners: bool, weights: _Weights
) -> Tensor:
    """Resize `x` to `size` elements along `dim`."""
    length = x.shape[dim]
    if isinstance(length, int) and length == size:
        return x
    factor = _scale_factor(length, size, scale, align_corners)
    place = torch.arange(size, dtype=torch.float64)
    source = place * factor if align_corners else (place + 0.5) * factor - 0.5
    if weights is _linear_weights:
        source = source.clamp(min=0)
    first = torch.floor(source).clamp(max=length - 1)
    taps = weights((source - first).clamp(0, 1))
    places = [first.to(torch.int64) + k - len(taps) // 2 + 1 for k in range(len(taps))]
    return _weighted_sum(x, dim, places, _clamp_taps(places, taps, length))


def _scale_factor(length: _Size, size: _Size, scale: float | None, align_corners: bool) -> Any:
    """Return the number of input elements per output element."""
    if align_corners:
        return (length - 1) / (size - 1) if size > 1 else 0.0
    return 1 / scale if scale else length / size


def _clamp_taps(places: list[Tensor], taps: list[Tensor], length: _Size) -> list[Tensor]:
    """Clamp taps to the image.

    Weights outside the image are added to the border elements.
    """
    bounded = [place.clamp(min=0).clamp(max=length - 1) for place in places]
    merged = []
    for place, bounded_place in zip(places, bounded):
        total = sum(torch.where(other == place, tap, 0.0) for other, tap in zip(bounded, taps))
        merged.append(torch.where(bounded_place == place, total, 0.0))
    return merged


def _weighted_sum(x: Tensor, dim: int, places: list[Tensor], taps: list[Tensor]) -> Tensor:
    """Sum `x` at `places` with the weights `taps`, and round."""
    bits = _fraction_bits(torch.stack(taps).amax())
    unit = torch.exp2(bits.to(torch.float64))
    shape = [1] * x.dim()
    shape[dim] = -1
    total: Any = torch.exp2(bits.to(torch.float64) - 1).to(torch.int32)
    for place, tap in zip(places, taps):
        weight = torch.trunc(tap * unit + torch.sign(tap) * 0.5).to(torch.int32)
        index = place.clamp(min=0).clamp(max=x.shape[dim] - 1)
        total = total + x.index_select(dim, index).to(torch.int32) * weight.reshape(shape)
    return (total >> bits).clamp(0, 255).to(torch.uint8)


def _fraction_bits(largest: Tensor) -> Tensor:
    """Return the largest number of fractional bits that keeps `largest` below 2 ** 15."""
    more = torch.arange(1, _MAX_BITS + 1, dtype=torch.float64)
    fits = torch.floor(largest * torch.exp2(more) + 0.5) < 32768
    return fits.to(torch.int32).sum().to(torch.int32)


def _resize_decomposition(weights: _Weights) -> Callable[..., Any]:
    def resize(
        x: Tensor, output_size: Sequence[Any] | None, align_corners: bool, scale_factors: Any = None
    ) -> Any:
        scales = scale_factors or (None, None)
        size = output_size or [int(n * scale) for n, scale in zip(x.shape[2:], scales)]
        rows = _resize_dim(x, 3, size[1], scales[1], align_corners, weights)
        return _resize_dim(rows, 2, size[0], scales[0], align_corners, weights)

    return resize


UINT8_RESIZING: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.upsample_bicubic2d.vec: _resize_decomposition(_cubic_weights),
    _ATEN.upsample_bilinear2d.vec: _resize_decomposition(_linear_weights),
}
"""Decompositions that apply to uint8 inputs only."""
