"""Transposed convolutions as convolutions: what comes between the pixels of the input is columns of the output.

Output pixel stride * q + r reads, of the input, pixels at a fixed distance from q. So each of the
stride x stride phases r is an ordinary convolution with some of the taps, and all of them one convolution with as many
times the columns, whose results only have to be put in place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import Laid, Value, constant
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.copy import Copy
from backends.cpu.compiler.kinds.permute import Permute
from backends.cpu.compiler.kinds.window import Window
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.rule import dims_at, tensor_of


@dataclass(frozen=True)
class _Axis:
    """One axis of a transposed convolution, and of the convolution that it becomes.

    taps: phase of the output, tap, and how far from the pixel of the output the input's is, of each tap.
    above, below: pads of the convolution. size: its taps.
    """

    stride: int
    taps: Sequence[tuple[int, int, int]]
    above: int
    below: int
    size: int

    def outputs(self, pixels: Dim) -> Dim:
        """Pixels of one phase."""
        return pixels + self.above + self.below - self.size + 1


def lower_transposed(builder: Builder, node: Node, weight: Tensor, bias: Tensor) -> None:
    """A convolution to [B, rows, columns, g * s * s * N / g], then a permutation to [B, Ho, Wo, N].

    weight: [C, N / g, kh, kw].
    """
    groups, n = node.args[8], bias.shape[0]
    down, across = _axes(node, weight)
    source = builder.read(node.args[0], channels_last(tensor_of(node).dim()))
    batch, *pixels, channels = source.dims
    height, width = (1, *pixels)[-2:]
    rows, columns = down.outputs(height), across.outputs(width)
    phases = _phases(weight.unflatten(0, (groups, -1)), down, across)
    repeated = bias.reshape(groups, 1, -1).expand(groups, down.stride * across.stride, -1).flatten()
    window = Window((down.size, across.size), pads=(down.above, across.above, down.below, across.below))
    joined = Value(source.dtype, (batch, rows, columns, phases.shape[0]))
    x = view(source, (batch, height, width, channels))
    builder.step(Convolution(window, groups=groups), [x, constant(phases), constant(repeated)], joined, node)
    apart = view(joined, (batch, rows, columns, groups, down.stride, across.stride, n // groups))
    placed = Value(source.dtype, (batch, rows, down.stride, columns, across.stride, groups, n // groups))
    builder.step(Permute((0, 1, 4, 2, 5, 3, 6)), [apart], placed, node)
    _cut(builder, node, view(placed, (batch, rows * down.stride, columns * across.stride, n)))


def _cut(builder: Builder, node: Node, picture: Value) -> None:
    """The first rows and columns of `picture`, as many as there are of the result."""
    batch, *after = dims_at(node)[:1] + dims_at(node)[2:]
    n = picture.dims[-1]
    wanted = (batch, *(1, *after)[-2:], n)
    if picture.dims != wanted:
        whole, picture = picture, Value(picture.dtype, wanted)
        builder.step(Copy(((1,) * 4,)), [whole], picture, node, dims=(0, 0) * 4)
    builder.alias(node, Laid(view(picture, (batch, *after, n)), channels_last(2 + len(after))))


def _axes(node: Node, weight: Tensor) -> tuple[_Axis, _Axis]:
    """Down and across; what is of one dimension goes across only."""
    stride, padding, dilation, added = ((*given,) for given in (*node.args[3:6], node.args[7]))
    kernel = weight.shape[2:]
    of_row = ((1, 1, 0, 1, 0),) if len(stride) == 1 else ()
    of_rest = zip(kernel[-len(stride) :], stride, padding, dilation, added, strict=True)
    down, across = (_axis(*each) for each in (*of_row, *of_rest))
    return down, across


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


def _phases(weight: Tensor, down: _Axis, across: _Axis) -> Tensor:
    """Weights [g * s * s * N / g, C / g, kh, kw] of all phases, of those of [g, C / g, N / g, ...]."""
    groups, c, n, *_ = weight.shape
    phases = weight.new_zeros(groups, down.stride, across.stride, n, c, down.size, across.size)
    for phase_y, tap_y, at_y in down.taps:
        for phase_x, tap_x, at_x in across.taps:
            tap = weight[..., tap_y, tap_x].transpose(1, 2)
            phases[:, phase_y, phase_x, :, :, at_y + down.above, at_x + across.above] = tap
    return phases.flatten(0, 3)
