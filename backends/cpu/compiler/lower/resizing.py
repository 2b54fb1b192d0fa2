"""Lowering of interpolation to other sizes, in one to three dimensions."""

from collections.abc import Sequence

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.rule import Program, Refusal, Rule, dims_at, tensor_of
from backends.cpu.schema.resampling import Resize, ResizeMode

_aten = torch.ops.aten


def _lower(builder: Builder, node: Node, mode: ResizeMode) -> None:
    """Resize height and width with one op, then the depth with another. A 1-d input has height 1."""
    order = channels_last(tensor_of(node).dim())
    value = builder.read(node.args[0], order)
    batch, channels = value.dims[0], value.dims[-1]
    depth, *before = _as_volume(value.dims[1:-1])
    new_depth, *after = _as_volume(dims_at(node)[2:])
    corners = mode >= ResizeMode.LINEAR and bool(node.args[2])
    deep, *flat = _scales(node, tensor_of(node).dim() - 2)
    picture = Resize(mode, corners, (flat[0], flat[1]))
    value = _op(builder, node, picture, value, (batch * depth, *before, channels), after)
    if depth != new_depth or tensor_of(node).dim() == 5:
        rows = (batch, depth, 1, product(after) * channels)
        value = _op(builder, node, Resize(mode, corners, (deep, 0.0)), value, rows, (new_depth, 1))
    builder.alias(node, TensorLayout(view(value, (batch, *dims_at(node)[2:], channels)), order))


def _op(builder: Builder, node: Node, spec: Resize, x: Value, picture: Sequence[Dim], after: Sequence[Dim]) -> Value:
    """Emit `spec` for `x`, viewed as images [B, H, W, C]. Return the images with the sizes `after`."""
    output = Value(x.dtype, (picture[0], *after, picture[3]))
    builder.op(spec, [view(x, tuple(picture))], output, node)
    return output


def _as_volume(sizes: Sequence[Dim]) -> tuple[Dim, ...]:
    return (*(1,) * (3 - len(sizes)), *sizes)


def _scales(node: Node, rank: int) -> list[float]:
    """Return the scales of depth, height and width. 0 stands for the ratio of the sizes."""
    factors = node.args[-1] if isinstance(node.args[-1], list) and node.args[1] is None else [0.0] * rank
    return [0.0] * (3 - rank) + [1 / factor if factor else 0.0 for factor in factors]


def _refuses(program: Program, node: Node) -> Refusal:
    sizes = (*dims_at(node.args[0])[2:], *dims_at(node)[2:])
    return None if all(program.bounds.minimum(size) > 0 for size in sizes) else "a dimension can be empty"


def _rule(mode: ResizeMode) -> Rule:
    return Rule(lambda builder, node: _lower(builder, node, mode), _refuses, numbers=True, whole=True)


RULES: dict[OpOverload, Rule] = {
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
