"""Transposed convolutions as one convolution and a pixel shuffle.

The output pixel at stride * q + r depends on input pixels at fixed offsets from q. Each of the
stride^2 phases r (stride^3 for volumes) is a convolution with some of the taps. One convolution
computes all phases as output channels. A permutation then moves the results to their pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from torch import Tensor
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import TensorLayout, Value, constant
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.program import dims_at, tensor_of
from backends.cpu.compiler.lower.volumes import flat_weight, joined_slices
from backends.cpu.schema.convolution import ConvF32
from backends.cpu.schema.copies import Copy, Permute
from backends.cpu.schema.records import Window


@dataclass(frozen=True)
class _Axis:
    """One axis of a transposed convolution and of the convolution that replaces it.

    taps: phase of the output, tap of the kernel, and distance of the input pixel from the output
        pixel.
    above, below: padding of the convolution.
    size: kernel size of the convolution.
    """

    stride: int
    taps: Sequence[tuple[int, int, int]]
    above: int
    below: int
    size: int

    def outputs(self, pixels: Dim) -> Dim:
        """Return the pixels of one phase."""
        return pixels + self.above + self.below - self.size + 1


_Axes: TypeAlias = tuple[_Axis, _Axis, _Axis]


def lower_transposed(builder: Builder, node: Node, weight: Tensor, bias: Tensor) -> None:
    """Lower to a convolution and a permutation.

    The convolution computes [B * frames, rows, columns, g * s^3 * N / g]. The permutation returns
    [B, Do, Ho, Wo, N]. The slices that a frame reads are concatenated first, as for 3-D
    convolutions. An image is one frame.

    weight: [C, N / g, kd, kh, kw], without the axes that x does not have.
    """
    groups, n = node.args[8], bias.shape[0]
    axes = _axes(node, weight)
    source = _volume(builder.read(node.args[0], channels_last(tensor_of(node).dim())))
    batch, *pixels, _ = source.dims
    frames, rows, columns = (axis.outputs(size) for axis, size in zip(axes, pixels, strict=True))
    weights = flat_weight(_phases(_volume_weight(weight).unflatten(0, (groups, -1)), axes))
    repeated = bias.reshape(groups, 1, -1).expand(groups, len(weights) // n, -1).flatten()
    deep, *_ = axes
    read = joined_slices(builder, node, source, [place - deep.above for place in range(deep.size)], 1, frames)
    joined = Value(source.dtype, (batch * frames, rows, columns, len(weights)))
    builder.op(ConvF32(_window(axes), groups=groups), [read, constant(weights), constant(repeated)], joined, node)
    placed = _placed(builder, node, joined, axes, n // groups)
    sizes = [size * axis.stride for size, axis in zip((frames, rows, columns), axes, strict=True)]
    _cut(builder, node, view(placed, (batch, *sizes, n)))


def _volume(x: Value) -> Value:
    """Return x as [B, D, H, W, C]. Missing spatial dimensions become 1."""
    batch, *pixels, channels = x.dims
    return view(x, (batch, *(1, 1, *pixels)[-3:], channels))


def _volume_weight(weight: Tensor) -> Tensor:
    return weight if weight.dim() == 5 else weight.unsqueeze(2)


def _window(axes: _Axes) -> Window:
    """Return the window of the convolution of each frame."""
    _, down, across = axes
    return Window((down.size, across.size), padding=(down.above, across.above, down.below, across.below))


def _placed(builder: Builder, node: Node, joined: Value, axes: _Axes, each: int) -> Value:
    """Emit the permutation to [B * frames, s, rows, s, columns, s, g, N / g]."""
    frames, rows, columns, _ = joined.dims
    strides = [axis.stride for axis in axes]
    groups = node.args[8]
    apart = view(joined, (frames, rows, columns, groups, *strides, each))
    dims = (frames, strides[0], rows, strides[1], columns, strides[2], groups, each)
    placed = Value(joined.dtype, dims)
    builder.op(Permute((0, 4, 1, 5, 2, 6, 3, 7)), [apart], placed, node)
    return placed


def _cut(builder: Builder, node: Node, volume: Value) -> None:
    """Crop `volume` to the size of the result."""
    batch, *after = dims_at(node)[:1] + dims_at(node)[2:]
    n = volume.dims[-1]
    wanted = (batch, *(1, 1, *after)[-3:], n)
    if volume.dims != wanted:
        whole, volume = volume, Value(volume.dtype, wanted)
        builder.op(Copy(None, (1,) * 5), [whole], volume, node, dims=(0, 0) * 5)
    builder.alias(node, TensorLayout(view(volume, (batch, *after, n)), channels_last(2 + len(after))))


def _axes(node: Node, weight: Tensor) -> _Axes:
    """Return the axes of depth, height and width.

    A one-dimensional convolution has only a width.
    """
    stride, padding, dilation, added = ((*given,) for given in (*node.args[3:6], node.args[7]))
    kernel = weight.shape[2:]
    of_rest = zip(kernel[-len(stride) :], stride, padding, dilation, added, strict=True)
    deep, down, across = (_axis(*each) for each in (*((1, 1, 0, 1, 0),) * (3 - len(stride)), *of_rest))
    return deep, down, across


def _axis(kernel: int, stride: int, padding: int, dilation: int, added: int) -> _Axis:
    taps = [
        (phase, tap, (phase + padding - tap * dilation) // stride)
        for phase in range(stride)
        for tap in range(kernel)
        if (phase + padding - tap * dilation) % stride == 0
    ]
    places = [0, *(place for _, _, place in taps)]
    above, size = -min(places), max(places) - min(places) + 1
    beyond = (kernel - 1) * dilation + 1 + added - stride - 2 * padding
    below = max(0, -(-beyond // stride) - above + size - 1)
    return _Axis(stride, taps, above, below, size)


def _phases(weight: Tensor, axes: _Axes) -> Tensor:
    """Return the weights of all phases, [g * s^3 * N / g, C / g, kd, kh, kw].

    weight: [g, C / g, N / g, ...].
    """
    groups, c, n, *_ = weight.shape
    strides, sizes = [axis.stride for axis in axes], [axis.size for axis in axes]
    phases = weight.new_zeros(groups, *strides, n, c, *sizes)
    for tap in product(*(axis.taps for axis in axes)):
        phase, taken, place = zip(*tap, strict=True)
        at = [each + axis.above for each, axis in zip(place, axes, strict=True)]
        every = slice(None)
        phases[(every, *phase, every, every, *at)] = weight[(every, every, every, *taken)].transpose(1, 2)
    return phases.flatten(0, 4)
