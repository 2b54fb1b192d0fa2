"""Transposed convolutions as convolutions: what comes between the pixels of the input is columns of the output.

Output pixel stride * q + r reads, of the input, pixels at a fixed distance from q. So each of the
stride x stride phases r is an ordinary convolution with some of the taps, and all of them one convolution with as many
times the columns, whose results only have to be put in place.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.fx import Node

from backends.cpu.compiler.graph import Laid, Value, constant
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.permute import Permute
from backends.cpu.compiler.kinds.window import Pair, Window
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.rule import Refusal, dims_at, tensor_of

_PICTURE = channels_last(4)


def refuses_transposed(node: Node) -> Refusal:
    """Why a transposed convolution is left to kernels."""
    x, weight, _, stride, padding, dilation, _, _, groups = node.args
    if tensor_of(x).dim() != 4 or groups != 1 or list(dilation) != [1, 1]:
        return "a transposed convolution is taken of pictures, in one group and without dilation"
    if any(pad >= size for pad, size in zip(padding, dims_at(weight)[2:])):
        return "a transposed convolution is taken with less padding than its kernel has taps"
    height, width = dims_at(node)[2:]
    if not isinstance(height, int) or not isinstance(width, int):
        return "a transposed convolution of pictures of variable size is not taken"
    if height % stride[0] or width % stride[1]:
        return f"a transposed convolution to {height} x {width} pixels is no multiple of its stride"
    return None


def lower_transposed(builder: Builder, node: Node, weight: Tensor, bias: Tensor) -> None:
    """A convolution to [B, Ho / s, Wo / s, s * s * N], then a permutation to [B, Ho, Wo, N].

    weight: [C, N, kh, kw].
    """
    x, _, _, stride, padding, *_ = node.args
    picture = dims_at(node)[2:]
    phases, window = _phases(weight, (stride[0], stride[1]), padding, dims_at(x)[2:], picture)
    rows, columns = picture[0] // stride[0], picture[1] // stride[1]
    batch, n = dims_at(node)[0], weight.shape[1]
    source = builder.read(x, _PICTURE)
    joined = Value(source.dtype, (batch, rows, columns, phases.shape[0]))
    weights = [constant(phases), constant(bias.repeat(stride[0] * stride[1]))]
    builder.step(Convolution(window), [source, *weights], joined, node)
    apart = view(joined, (batch, rows, columns, *stride, n))
    placed = Value(source.dtype, (batch, rows, stride[0], columns, stride[1], n))
    builder.step(Permute((0, 1, 3, 2, 4, 5)), [apart], placed, node)
    builder.alias(node, Laid(view(placed, (batch, *picture, n)), _PICTURE))


def _phases(
    weight: Tensor, stride: Pair, padding: Sequence[int], before: Sequence[Any], after: Sequence[int]
) -> tuple[Tensor, Window]:
    """Weights [s * s * N, C, kh, kw] of all phases, and the window that they have in common."""
    c, n, kh, kw = weight.shape
    down = _taps(kh, stride[0], padding[0])
    across = _taps(kw, stride[1], padding[1])
    (top, height), (left, width) = _reach(down), _reach(across)
    phases = weight.new_zeros(*stride, n, c, height, width)
    for phase_y, tap_y, at_y in down:
        for phase_x, tap_x, at_x in across:
            phases[phase_y, phase_x, :, :, at_y + top, at_x + left] = weight[:, :, tap_y, tap_x].t()
    below = after[0] // stride[0] - before[0] - top + height - 1
    right = after[1] // stride[1] - before[1] - left + width - 1
    return phases.flatten(0, 2), Window((height, width), pads=(top, left, below, right))


def _taps(kernel: int, stride: int, padding: int) -> list[tuple[int, int, int]]:
    """Phase of the output, tap, and how far from the pixel of the output the input's is, of each tap."""
    return [
        (phase, tap, (phase + padding - tap) // stride)
        for phase in range(stride)
        for tap in range(kernel)
        if (phase + padding - tap) % stride == 0
    ]


def _reach(taps: Sequence[tuple[int, int, int]]) -> Pair:
    """How far the taps reach back, and how many there are from first to last."""
    places = [place for _, _, place in taps]
    return -min(places), max(places) - min(places) + 1
