"""Lowering of `col2im`, the sum of overlapping windows."""

import torch
from torch._ops import OpOverload
from torch.fx import Node
from torch.utils._sympy.functions import FloorDiv

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.lower.builder import Builder, view
from backends.cpu.compiler.lower.program import dims_at
from backends.cpu.compiler.lower.rule import Rule
from backends.cpu.schema.convolution import Col2im
from backends.cpu.schema.records import Window

# Memory order of [B, C, taps, Ho, Wo] that the op requires.
_WINDOWS = (0, 3, 4, 2, 1)


def _lower(builder: Builder, node: Node) -> None:
    x, _, kernel, dilation, padding, stride = node.args
    (top, left), (channels, *size) = padding, dims_at(node)[-3:]
    window = Window((kernel[0], kernel[1]), (stride[0], stride[1]), (top, left, top, left), (dilation[0], dilation[1]))
    batch = dims_at(node)[0] if len(dims_at(node)) == 4 else 1
    counts = (_window_count(window, axis, extent) for axis, extent in enumerate(size))
    windows = builder.shaped(x, (batch, channels, window.taps, *counts), _WINDOWS)
    last = len(dims_at(node)) - 3
    output = builder.write(node, (*range(last), last + 1, last + 2, last))
    builder.op(Col2im(window), [windows], view(output, (batch, *size, channels)), node)


def _window_count(window: Window, axis: int, extent: Dim) -> Dim:
    """Return the number of windows along an axis with `extent` pixels."""
    reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1
    left = extent + 2 * window.padding[axis] - reach
    return (left // window.stride[axis] if isinstance(left, int) else FloorDiv(left, window.stride[axis])) + 1


RULES: dict[OpOverload, Rule] = {torch.ops.aten.col2im.default: Rule(_lower, numbers=True, whole=True)}
