"""Lowering of resampling: resizing in one to three dimensions, and grid sampling."""

from collections.abc import Sequence

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.program import Program, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.resampling import GridSample, PaddingMode, Resize, ResizeMode, SampleMode

_aten = torch.ops.aten


def _lower(builder: Builder, node: Node, mode: ResizeMode) -> None:
    """Resize height and width with one op, then depth with another.

    A 1-D input has height 1.
    """
    order = channels_last(tensor_of(node).dim())
    value = builder.read(node.args[0], order)
    batch, channels = value.dims[0], value.dims[-1]
    depth, *before = _as_volume(value.dims[1:-1])
    new_depth, *after = _as_volume(dims_at(node)[2:])
    corners = mode >= ResizeMode.LINEAR and bool(node.args[2])
    deep, *flat = _scales(node, tensor_of(node).dim() - 2)
    image = Resize(mode, corners, (flat[0], flat[1]))
    value = _op(builder, node, image, value, (batch * depth, *before, channels), after)
    if depth != new_depth or tensor_of(node).dim() == 5:
        rows = (batch, depth, 1, product(after) * channels)
        value = _op(builder, node, Resize(mode, corners, (deep, 0.0)), value, rows, (new_depth, 1))
    builder.alias(node, TensorLayout(view(value, (batch, *dims_at(node)[2:], channels)), order))


def _op(builder: Builder, node: Node, spec: Resize, x: Value, image: Sequence[Dim], after: Sequence[Dim]) -> Value:
    """Emit `spec` for `x`, viewed as images [B, H, W, C].

    Return images of size `after`.
    """
    output = Value(x.dtype, (image[0], *after, image[3]))
    builder.op(spec, [view(x, tuple(image))], output, node)
    return output


def _as_volume(sizes: Sequence[Dim]) -> tuple[Dim, ...]:
    return (*(1,) * (3 - len(sizes)), *sizes)


def _scales(node: Node, rank: int) -> list[float]:
    """Return the scales of depth, height and width.

    With a scale of 0, the op uses the ratio of the sizes.
    """
    factors = node.args[-1] if isinstance(node.args[-1], list) and node.args[1] is None else [0.0] * rank
    return [0.0] * (3 - rank) + [1 / factor if factor else 0.0 for factor in factors]


def _refuses(program: Program, node: Node) -> Refusal:
    sizes = (*dims_at(node.args[0])[2:], *dims_at(node)[2:])
    return None if all(program.bounds.minimum(size) > 0 for size in sizes) else "a dimension might have size 0"


def _lower_grid_sample(builder: Builder, node: Node) -> None:
    x, grid, mode, padding, align_corners = node.args
    spec = GridSample(SampleMode(mode), PaddingMode(padding), bool(align_corners))
    image = channels_last(4)
    inputs = [builder.read(x, image), builder.read(grid)]
    builder.op(spec, inputs, builder.write(node, image), node)


def _rule(mode: ResizeMode) -> Rule:
    return Rule(lambda builder, node: _lower(builder, node, mode), _refuses, numbers=True, whole=True)


RULES: dict[OpOverload, Rule] = {
    _aten.grid_sampler_2d.default: Rule(_lower_grid_sample),
    _aten.upsample_nearest1d.vec: _rule(ResizeMode.NEAREST),
    _aten.upsample_nearest2d.vec: _rule(ResizeMode.NEAREST),
    _aten.upsample_nearest3d.vec: _rule(ResizeMode.NEAREST),
    _aten._upsample_nearest_exact1d.vec: _rule(ResizeMode.NEAREST_EXACT),
    _aten._upsample_nearest_exact2d.vec: _rule(ResizeMode.NEAREST_EXACT),
    _aten._upsample_nearest_exact3d.vec: _rule(ResizeMode.NEAREST_EXACT),
    _aten.upsample_linear1d.vec: _rule(ResizeMode.LINEAR),
    _aten.upsample_bilinear2d.vec: _rule(ResizeMode.LINEAR),
    _aten.upsample_trilinear3d.vec: _rule(ResizeMode.LINEAR),
    _aten.upsample_bicubic2d.vec: _rule(ResizeMode.CUBIC),
}
