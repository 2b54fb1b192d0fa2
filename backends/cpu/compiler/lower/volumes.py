"""Lowering of 3-D convolutions and pooling to 2-D ops on the slices of a volume."""

from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import TensorLayout, Value, constant
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.parts import parts_of, refuses_but_first
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.convolution import ConvF32
from backends.cpu.schema.copies import COPY_INPUTS, Copy
from backends.cpu.schema.pooling import PoolF32, PoolMode
from backends.cpu.schema.records import Window

_aten = torch.ops.aten
_VOLUME = channels_last(5)
_Triple: TypeAlias = tuple[int, int, int]


def refuses_volume(node: Node) -> Refusal:
    """Return the reason that no op supports a 3-D convolution, or None."""
    frames = int(dims_at(node.args[1])[2])
    transposed, dilation = node.args[6], node.args[5][0]
    reach = (frames - 1) * dilation + 1 if transposed else frames
    return None if reach <= COPY_INPUTS else f"a kernel depth of {reach} is not supported"


def lower_volume(builder: Builder, node: Node, weight: Tensor, bias: Tensor) -> None:
    """Lower to a `conv_f32` that computes each output slice as an image.

    The input slices that contribute to an output slice become channels. The channels of a group are
    adjacent.
    weight: [N, C / g, kd, kh, kw].
    """
    source = builder.read(node.args[0], _VOLUME)
    batch, (depth, *image) = source.dims[0], dims_at(node)[2:]
    stride, padding, dilation = (node.args[index][0] for index in (3, 4, 5))
    starts = [frame * dilation - padding for frame in range(weight.shape[2])]
    flat, n = flat_weight(weight), weight.shape[0]
    joined = joined_slices(builder, node, source, starts, stride, depth)
    output = Value(source.dtype, (batch * depth, *image, n))
    op = ConvF32(_flat_window(node, flat), groups=node.args[8])
    builder.op(op, [joined, constant(flat), constant(bias)], output, node)
    builder.alias(node, TensorLayout(view(output, (batch, depth, *image, n)), _VOLUME))


def flat_weight(weight: Tensor) -> Tensor:
    """Return [N, C / g, kd, kh, kw] as [N, kd * C / g, kh, kw]."""
    return weight.transpose(1, 2).flatten(1, 2)


def _flat_window(node: Node, flat: Tensor) -> Window:
    """Return the window along height and width."""
    stride, (top, left), dilation = (node.args[index][1:] for index in (3, 4, 5))
    kernel = flat.shape[2], flat.shape[3]
    return Window(kernel, (stride[0], stride[1]), (top, left, top, left), (dilation[0], dilation[1]))


def joined_slices(builder: Builder, node: Node, source: Value, starts: list[int], stride: int, depth: Dim) -> Value:
    """Return the slices of [B, D, H, W, C] that output slices 0 to `depth` - 1 need.

    The result is [B * depth, H, W, g * frames * C / g]. Output slice d needs the slices d *
    `stride` + start for each start of `starts`.
    """
    batch, before, height, width, channels = source.dims
    joined = (batch * depth, height, width, channels * len(starts))
    if (starts, stride) == ([0], 1) and before == depth:
        return view(source, joined)
    groups = node.args[8]
    apart = (height * width, groups, 1, int(channels) // groups)
    read = Value(source.dtype, (batch, depth, *apart[:2], len(starts), apart[3]))
    _gather(builder, node, view(source, (batch, before, *apart)), read, starts, stride)
    return view(read, joined)


def _gather(builder: Builder, node: Node, x: Value, y: Value, starts: list[int], stride: int) -> None:
    """Copy slice d * `stride` + `starts[i]` of `x` to `y[:, d, :, :, i]`.

    This applies to all d and i. Slices outside `x` are zeros.
    """
    dims: list[Dim] = []
    for frame, start in enumerate(starts):
        skipped = max(0, -(start // stride)) if start < 0 else 0
        dims += [0, 0, start + skipped * stride, skipped, 0, 0, 0, 0, 0, frame, 0, 0]
    strides = (1, stride, 1, 1, 1, 1) * len(starts)
    builder.op(Copy(0.0, strides), [x] * len(starts), y, node, dims=tuple(dims))


def _lower_average(builder: Builder, node: Node) -> None:
    """Average over the window of each slice, then over the depth.

    With `divisor_override`, sum first and divide last.
    """
    kernel, stride, pads = _windows(node)
    count, divisor = bool(argument(node, 5, "count_include_pad", True)), argument(node, 6, "divisor_override")
    flat, deep = (Window(kernel[1:], stride[1:], (*pads[1:], *pads[1:])), _along_depth(kernel, stride, pads))
    first = PoolF32(PoolMode.AVG, flat, count, 1 if divisor else 0)
    _pool(builder, node, node, first, PoolF32(PoolMode.AVG, deep, count, divisor or 0))


def _lower_max(builder: Builder, node: Node) -> None:
    kernel, stride, pads = _windows(node)
    dilation = _triple(argument(node, 4, "dilation", 1))
    flat = Window(kernel[1:], stride[1:], (*pads[1:], *pads[1:]), dilation[1:])
    deep = _along_depth(kernel, stride, pads, dilation[0])
    for each in parts_of(node).get(0, []):
        _pool(builder, node, each, PoolF32(PoolMode.MAX, flat), PoolF32(PoolMode.MAX, deep))


def _pool(builder: Builder, node: Node, result: Node, flat: PoolF32, deep: PoolF32) -> None:
    """Pool each slice, then pool each pixel along the depth."""
    source = builder.read(node.args[0], _VOLUME)
    batch, before, *image, channels = source.dims
    depth, *after = dims_at(result)[2:]
    pooled = Value(source.dtype, (batch * before, *after, channels))
    builder.op(flat, [view(source, (batch * before, *image, channels))], pooled, node)
    pixels = product(after) * channels
    output = Value(source.dtype, (batch, depth, 1, pixels))
    builder.op(deep, [view(pooled, (batch, before, 1, pixels))], output, node)
    builder.alias(result, TensorLayout(view(output, (batch, depth, *after, channels)), _VOLUME))


def _along_depth(kernel: _Triple, stride: _Triple, pads: _Triple, dilation: int = 1) -> Window:
    return Window((kernel[0], 1), (stride[0], 1), (pads[0], 0, pads[0], 0), (dilation, 1))


def _windows(node: Node) -> tuple[_Triple, _Triple, _Triple]:
    """Return kernel, stride and padding."""
    kernel = _triple(argument(node, 1, "kernel_size"))
    return kernel, _triple(argument(node, 2, "stride") or kernel), _triple(argument(node, 3, "padding", 0))


def _triple(sizes: Any) -> _Triple:
    depth, height, width = [sizes] * 3 if isinstance(sizes, int) else (list(sizes) * 3)[:3]
    return depth, height, width


def _refuses_average(program: Program, node: Node) -> Refusal:
    return _refuses_ceil(node, 4)


def _refuses_max(program: Program, node: Node) -> Refusal:
    return _refuses_ceil(node, 5) or refuses_but_first(program, node)


def _refuses_ceil(node: Node, at: int) -> Refusal:
    if tensor_of(node.args[0]).dim() != 5:
        return "pooling of volumes without a batch dimension is not supported"
    return "pooling of volumes with ceil_mode is not supported" if argument(node, at, "ceil_mode", False) else None


RULES: dict[OpOverload, Rule] = {
    _aten.avg_pool3d.default: Rule(_lower_average, _refuses_average),
    _aten.max_pool3d_with_indices.default: Rule(
        _lower_max, _refuses_max, dtypes=(torch.float32, torch.int64), first=(torch.float32,)
    ),
}
