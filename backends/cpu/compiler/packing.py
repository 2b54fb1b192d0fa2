"""Layouts of packed weights: panels of 16 columns, padded with zeros."""

from collections.abc import Sequence
from math import prod

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.schema.cost_model import STRASSEN_COLUMNS
from backends.cpu.schema.kernel_sizes import PANEL, STRASSEN_PRODUCTS
from backends.cpu.schema.records import LowBitFormat, WeightOffset

_MOST_INT16 = torch.iinfo(torch.int16).max
_MAX_EXACT_TERMS = 16


def padded(tensor: Tensor, dim: int) -> Tensor:
    """Pad `tensor` with zeros at the end of `dim`, to a multiple of `PANEL`."""
    missing = -tensor.shape[dim] % PANEL
    if not missing:
        return tensor
    shape = [*tensor.shape]
    shape[dim] = missing
    return torch.cat([tensor, tensor.new_zeros(shape)], dim)


def panels(weight: Tensor) -> Tensor:
    """Pack [..., N, K] as [..., ceil(N / 16), K, 16]."""
    full = padded(weight, -2)
    *batch, n, k = full.shape
    return full.reshape(*batch, n // PANEL, PANEL, k).transpose(-1, -2).contiguous()


def unpanelled(packed: Tensor, n: int) -> Tensor:
    """Undo `panels`: unpack [..., ceil(N / 16), K, 16] to [..., N, K]."""
    *batch, count, k, width = packed.shape
    return packed.transpose(-1, -2).reshape(*batch, count * width, k)[..., :n, :]


def convolution_panels(weight: Tensor, groups: int) -> Tensor:
    """Pack convolution weights [N, C / groups, kh, kw] in panels.

    The result is [groups, ceil(N / groups / 16), kh * kw * C / groups, 16].
    """
    n, *_ = weight.shape
    return panels(weight.permute(0, 2, 3, 1).reshape(groups, n // groups, -1))


def group_bias(bias: Tensor, groups: int) -> Tensor:
    """Pad each group of the bias [N] with zeros to a multiple of 16 elements."""
    return padded(bias.reshape(groups, -1), 1).flatten()


# G: weight transforms of F(2, 3) and F(4, 3).
_WINOGRAD = {
    2: torch.tensor([[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]], dtype=torch.float64),
    4: torch.tensor(
        [
            [1 / 4, 0, 0],
            [-1 / 6, -1 / 6, -1 / 6],
            [-1 / 6, 1 / 6, -1 / 6],
            [1 / 24, 1 / 12, 1 / 6],
            [1 / 24, -1 / 12, 1 / 6],
            [0, 0, 1],
        ],
        dtype=torch.float64,
    ),
}


def winograd_panels(weight: Tensor, side: int) -> Tensor:
    """Transform [N, C, 3, 3] for F(side x side, 3 x 3), and pack it.

    The result is [positions, ceil(N / 16), C, 16].
    """
    transformed = _WINOGRAD[side] @ weight.double() @ _WINOGRAD[side].t()
    return panels(transformed.to(weight.dtype).flatten(2).permute(2, 0, 1))


# G' (microkernels/winograd_qs8.h) and its left inverse. G' is 24 * G with each row divided by its
# common factor.
_WHOLE = torch.tensor([[6, 0, 0], [1, 1, 1], [1, -1, 1], [1, 2, 4], [1, -2, 4], [0, 0, 6]], dtype=torch.float64)
_BACK = torch.tensor([[1 / 6, 0, 0, 0, 0, 0], [0, 1 / 2, -1 / 2, 0, 0, 0], [0, 0, 0, 0, 0, 1 / 6]], dtype=torch.float64)


def winograd_pairs(codes: Tensor) -> Tensor:
    """Transform int8 [N, C, 3, 3] for F(4 x 4, 3 x 3), and pack it.

    The result is int16 [36, N / 16, C / 2, 32]. Two channels of a column are adjacent. N is a
    multiple of 16, and C is a multiple of 2.
    """
    transformed = (_WHOLE @ codes.double() @ _WHOLE.t()).flatten(2).permute(2, 0, 1).to(torch.int16)
    by_panel = transformed.unflatten(2, (-1, 2)).unflatten(1, (-1, PANEL))
    return by_panel.transpose(2, 3).flatten(3).contiguous()


def winograd_codes(packed: Tensor) -> Tensor:
    """Undo `winograd_pairs`. The result is float64."""
    columns = packed.unflatten(3, (PANEL, 2)).transpose(2, 3).flatten(3).flatten(1, 2)
    return (_BACK @ columns.permute(1, 2, 0).unflatten(2, (6, 6)).double() @ _BACK.t()).round()


def strassen_panels(weight: Tensor) -> Tensor:
    """Pack [N, K] as [7 * N / 32, K / 2, 16] for Strassen's algorithm.

    The packed weights are the seven sums of quarters, in the order of `microkernels/strassen.c`.
    Each sum has N / 2 columns, in groups of up to 64. The panels are ordered by group, then by sum.
    N and K are multiples of 32.
    """
    (a, c), (b, d) = (half.chunk(2, 1) for half in weight.double().chunk(2, 0))
    sums = torch.stack([a, d - b + a, c, b - a, d - b, d, c - d + b - a]).to(weight.dtype)
    return torch.cat([panels(group).flatten(0, 1) for group in sums.split(STRASSEN_COLUMNS, 1)])


def strassen_bias(bias: Tensor) -> Tensor:
    """Return [N]: the left half of `bias`, then the right half minus the left half."""
    left, right = bias.double().chunk(2)
    return torch.cat([left, right - left]).to(bias.dtype)


def unstrassen(packed: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Undo `strassen_panels` and `strassen_bias`, up to rounding."""
    groups = packed.split(STRASSEN_PRODUCTS * STRASSEN_COLUMNS // PANEL)
    columns = [unpanelled(group.unflatten(0, (STRASSEN_PRODUCTS, -1)), STRASSEN_COLUMNS) for group in groups]
    a, _, c, b_less_a, _, d, _ = torch.cat(columns, 1)
    left, more = bias.chunk(2)
    weight = torch.cat([torch.cat([a, c], 1), torch.cat([b_less_a + a, d], 1)])
    return weight, torch.cat([left, left + more])


def taps(weight: Tensor) -> Tensor:
    """Pack [C, 1, kh, kw] as [ceil(C / 16), kh * kw, 16]."""
    return panels(weight.flatten(1))


def quads(codes: Tensor, groups: int) -> Tensor:
    """Pack int8 [N, C / groups, kh, kw] in quads.

    The result is [groups * ceil(N / groups / 16), ceil(kh * kw * C / groups / 4), 16, 4]. A quad
    has four consecutive elements of a window in memory order (row, column, channel).
    """
    n, *_ = codes.shape
    rows = codes.permute(0, 2, 3, 1).reshape(groups, n // groups, -1)
    return _quadded(padded(rows, 1).flatten(0, 1))


def unquadded(packed: Tensor, n: int, channels: int, kernel: Sequence[int], groups: int) -> Tensor:
    """Undo `quads` for `n` output channels and `channels` input channels in total."""
    rows = packed.transpose(1, 2).reshape(groups, -1, packed.shape[1] * 4)
    each = channels // groups
    columns = rows[:, : n // groups, : prod(kernel) * each].flatten(0, 1)
    return columns.reshape(n, *kernel, each).permute(0, 3, 1, 2)


def tap_quads(codes: Tensor) -> Tensor:
    """Pack int8 [C, 1, kh, kw] as [ceil(C / 16), kw * ceil(kh / 4), 16, 4].

    A quad has four taps of a kernel column.
    """
    columns = padded(codes.squeeze(1), 0).transpose(1, 2)
    return _quadded(F.pad(columns, (0, -columns.shape[2] % 4)).flatten(1))


def unquadded_taps(packed: Tensor, channels: int, kernel: Sequence[int]) -> Tensor:
    """Undo `tap_quads`."""
    height, width = kernel
    columns = packed.transpose(1, 2).reshape(packed.shape[0] * PANEL, width, -1)
    return columns[:channels, :, :height].transpose(1, 2).unsqueeze(1)


def _quadded(rows: Tensor) -> Tensor:
    """Pack [N, K] as [N / 16, ceil(K / 4), 16, 4]."""
    full = F.pad(rows, (0, -rows.shape[1] % 4))
    return full.reshape(-1, PANEL, full.shape[1] // 4, 4).transpose(1, 2).contiguous()


def max_exact_terms(packed: Tensor, span: int) -> int:
    """Return the largest t <= 16 such that products of t quads can be added in int16.

    Return 0 if the products of a single quad can overflow. The weights are multiplied by values
    from 0 to `span`. For any t quads starting at a multiple of t, and for either half of the quads,
    sum(max(w, 0)) * span and sum(max(-w, 0)) * span are at most 32767.

    packed: weights [panel, quad, 16, 4].
    """
    wide = packed.to(torch.int64).unflatten(3, (2, 2))
    signs = torch.stack([wide.clamp_min(0), -wide.clamp_max(0)])
    sums = signs.sum(-1).movedim(2, -1)
    counts = range(_MAX_EXACT_TERMS, 0, -1)
    return next((count for count in counts if _largest_sum(sums, count) * span <= _MOST_INT16), 0)


def _largest_sum(sums: Tensor, count: int) -> int:
    whole = F.pad(sums, (0, -sums.shape[-1] % count))
    return int(whole.unflatten(-1, (-1, count)).sum(-1).max())


def words(codes: Tensor, bits: int) -> Tensor:
    """Pack [N, K] values of `bits` bits as int32 [ceil(N / 16), K * bits / 32, 16].

    A word contains consecutive values of a column, the first one in its lowest bits.
    """
    shifts = torch.arange(0, 32, bits)
    fields = (codes.to(torch.int64) & ((1 << bits) - 1)).unflatten(1, (-1, len(shifts)))
    return panels((fields << shifts).sum(2).to(torch.int32))


def unworded(packed: Tensor, n: int, bits: int) -> Tensor:
    """Undo `words`."""
    shifts = torch.arange(32 - bits, -1, -bits, dtype=torch.int32)
    fields = unpanelled(packed, n).unsqueeze(2) << shifts
    return (fields >> (32 - bits)).flatten(1).to(torch.int8)


def dequantized_panels(
    encoding: LowBitFormat, packed: Tensor, scales: Tensor, offsets: Sequence[Tensor], n: int
) -> Tensor:
    """Dequantize packed words to float32 weights [n, K].

    scales, offsets: [ceil(n / 16), groups, 16]. Offsets are zero points, minima or None.
    """
    values = unworded(packed, n, encoding.bits).float().unflatten(1, (scales.shape[1], -1))
    columns = unpanelled(scales, n).unsqueeze(2)
    offset = unpanelled(offsets[0], n).unsqueeze(2) if offsets else 0
    if encoding.offset is WeightOffset.MINIMA:
        return ((values + (1 << encoding.bits - 1)) * columns + offset).flatten(1)
    return ((values - offset) * columns).flatten(1)
