"""Adaptive pooling of images and volumes."""

from typing import TypeAlias

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.lower.builder import Builder, Order, view
from backends.cpu.compiler.lower.parts import parts_of
from backends.cpu.compiler.lower.program import tensor_of
from backends.cpu.compiler.lower.rule import Rule
from backends.cpu.compiler.lower.windows import MAX_SIZE
from backends.cpu.schema.pooling import WHOLE, AdaptivePool, PoolF32, PoolMode
from backends.cpu.schema.records import Window

_aten = torch.ops.aten
_MAXIMA, _INDICES = range(2)
_Sizes: TypeAlias = tuple[Dim, ...]


def _lower_mean(builder: Builder, node: Node) -> None:
    _lower(builder, node, node, PoolMode.AVG)


def _lower_max(builder: Builder, node: Node) -> None:
    parts = parts_of(node)
    for part, mode in ((_MAXIMA, PoolMode.MAX), (_INDICES, PoolMode.ARGMAX)):
        for each in parts.get(part, []):
            _lower(builder, node, each, mode)


def _lower(builder: Builder, node: Node, result: Node, mode: PoolMode) -> None:
    """Lower to `pool_f32` or `adaptive_pool`.

    `pool_f32` supports images if all windows have the same size.
    """
    order, count = _channels_innermost(node), len(node.args[1])
    source, output = builder.read(node.args[0], order), builder.write(result, order)
    window = _even_window(source.dims[1:-1], output.dims[1:-1]) if len(order) == 4 and count == 2 else None
    if window is None or mode is PoolMode.ARGMAX:
        builder.op(AdaptivePool(mode), [_volume(source, count)], _volume(output, count), node)
    else:
        builder.op(PoolF32(mode, window), [source], output, node)


def _channels_innermost(node: Node) -> Order:
    """Return the memory order [B, ..., C]. The batch dimension may be absent."""
    rank, channels = tensor_of(node.args[0]).dim(), -1 - len(node.args[1])
    return (*range(rank + channels), *range(rank + channels + 1, rank), rank + channels)


def _volume(x: Value, count: int) -> Value:
    """Return x as [B, D, H, W, C].

    count: number of the dimensions D, H and W that x has. The batch dimension may also be
        absent.
    """
    batch, sizes = x.dims[: -1 - count] or (1,), x.dims[-1 - count : -1]
    return view(x, (*batch, *(1, 1, *sizes)[-3:], x.dims[-1]))


def _even_window(before: _Sizes, after: _Sizes) -> Window | None:
    """Return the window for `after` equal parts of an image of size `before`.

    Return None if the image cannot be divided equally.
    """
    if after == (1, 1):
        return WHOLE
    height, width = (_even_side(size, count) for size, count in zip(before, after, strict=True))
    return Window((height, width), (height, width)) if height and width else None


def _even_side(size: Dim, count: Dim) -> int:
    """Return the size of `count` equal windows along an axis of `size`.

    Return 0 if the windows differ in size or no op supports their size.
    """
    if not isinstance(size, int) or not isinstance(count, int):
        return 0
    even = size // count if count and size % count == 0 else 0
    return even if even <= MAX_SIZE else 0


_WITH_INDICES = (torch.float32, torch.int64)
RULES: dict[OpOverload, Rule] = {
    _aten.adaptive_avg_pool2d.default: Rule(_lower_mean, numbers=True, whole=True),
    _aten._adaptive_avg_pool2d.default: Rule(_lower_mean, numbers=True),
    _aten._adaptive_avg_pool3d.default: Rule(_lower_mean, numbers=True),
    _aten.adaptive_max_pool2d.default: Rule(_lower_max, dtypes=_WITH_INDICES, first=(torch.float32,), numbers=True),
    _aten.adaptive_max_pool3d.default: Rule(_lower_max, dtypes=_WITH_INDICES, first=(torch.float32,), numbers=True),
}
