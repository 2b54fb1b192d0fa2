"""Pooling over pictures, and means that are nothing else."""

from dataclasses import replace
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import Laid
from backends.cpu.compiler.kinds.pool import Pool, Pooling
from backends.cpu.compiler.kinds.reduce import Reduction
from backends.cpu.compiler.kinds.window import Pair, Window
from backends.cpu.compiler.lower import reductions
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.rule import Program, Refusal, Rule, argument, dims_at, tensor_of

_aten = torch.ops.aten
_PICTURE = channels_last(4)


def _emit(builder: Builder, node: Node, operation: Pool) -> None:
    source = builder.read(node.args[0], _PICTURE)
    builder.step(operation, [source], builder.write(node, _PICTURE), node)


def _refuses_picture(program: Program, node: Node) -> Refusal:
    return None if tensor_of(node.args[0]).dim() == 4 else "pooling is taken of pictures with a batch"


def _lower_mean(builder: Builder, node: Node) -> None:
    """Of pictures with or without the two dimensions of size 1 that are left; of other tensors over any dimensions."""
    dims = reductions.dims_of_call(node, argument(node, 1, "dim"))
    if tensor_of(node.args[0]).dim() != 4 or dims != [2, 3]:
        reductions.lower(builder, node, Reduction.MEAN, dims)
        return
    if tensor_of(node).dim() == 4:
        _emit(builder, node, Pool(Pooling.AVERAGE))
        return
    rows = builder.write(node)
    batch, channels = rows.dims
    picture = type(rows)(rows.dtype, (batch, 1, 1, channels))
    builder.alias(node, Laid(view(picture, rows.dims), (0, 1)))
    source = builder.read(node.args[0], _PICTURE)
    builder.step(Pool(Pooling.AVERAGE), [source], picture, node)


def _refuses_adaptive(program: Program, node: Node) -> Refusal:
    before, after = dims_at(node.args[0])[2:], dims_at(node)[2:]
    if after == (1, 1):
        return _refuses_picture(program, node)
    if not all(isinstance(size, int) for size in (*before, *after)):
        return "adaptive pooling of a picture of variable size is taken to a size of 1 only"
    if any(size % parts for size, parts in zip(before, after)):
        return f"adaptive pooling from {before} to {after} has windows of several sizes"
    return _refuses_picture(program, node)


def _lower_adaptive(builder: Builder, node: Node) -> None:
    before, after = dims_at(node.args[0])[2:], dims_at(node)[2:]
    if after == (1, 1):
        _emit(builder, node, Pool(Pooling.AVERAGE))
        return
    kernel = before[0] // after[0], before[1] // after[1]
    _emit(builder, node, Pool(Pooling.AVERAGE, Window(kernel, kernel)))


def _refuses_window(program: Program, node: Node) -> Refusal:
    ceil_mode = argument(node, _ceil_at(node), "ceil_mode", False)
    if ceil_mode and not all(isinstance(size, int) for size in dims_at(node)[2:]):
        return "pooling of a picture of variable size is not taken with ceil_mode"
    return _refuses_picture(program, node)


def _ceil_at(node: Node) -> int:
    """The place of `ceil_mode` among the arguments."""
    return 4 if "avg" in str(node.target) else 5


def _refuses_average(program: Program, node: Node) -> Refusal:
    """Pads that only `ceil_mode` adds are never counted, which the step has no word for."""
    if argument(node, _ceil_at(node), "ceil_mode", False) and argument(node, 5, "count_include_pad", True):
        return "average pooling with ceil_mode is taken without count_include_pad only"
    return _refuses_window(program, node)


def _lower_average(builder: Builder, node: Node) -> None:
    count_pads = bool(argument(node, 5, "count_include_pad", True))
    divisor = argument(node, 6, "divisor_override") or 0
    _emit(builder, node, Pool(Pooling.AVERAGE, _window(node, (1, 1)), count_pads, divisor))


def _lower_max(builder: Builder, node: Node) -> None:
    dilation = _pair(argument(node, 4, "dilation", (1, 1)))
    _emit(builder, node, Pool(Pooling.MAX, _window(node, dilation)))


def _window(node: Node, dilation: Pair) -> Window:
    """The window; `ceil_mode` adds to its pads below and to the right."""
    kernel = _pair(argument(node, 1, "kernel_size"))
    stride = _pair(argument(node, 2, "stride") or kernel)
    top, left = _pair(argument(node, 3, "padding", (0, 0)))
    plain = Window(kernel, stride, (top, left, top, left), dilation)
    if not argument(node, _ceil_at(node), "ceil_mode", False):
        return plain
    below, right = (_missing(node, plain, axis) for axis in (0, 1))
    return replace(plain, pads=(top, left, top + below, left + right))


def _missing(node: Node, window: Window, axis: int) -> int:
    """Rows or columns that the last window lies beyond the pads."""
    size, count = dims_at(node.args[0])[2 + axis], dims_at(node)[2 + axis]
    reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1
    needed = (count - 1) * window.stride[axis] + reach
    return max(0, needed - size - 2 * window.pads[axis])


def _pair(sizes: Any) -> Pair:
    both = [sizes] if isinstance(sizes, int) else list(sizes)
    return both[0], both[-1]


RULES: dict[OpOverload, Rule] = {
    _aten.mean.dim: Rule(_lower_mean, reductions.refuses),
    _aten.adaptive_avg_pool2d.default: Rule(_lower_adaptive, _refuses_adaptive),
    _aten._adaptive_avg_pool2d.default: Rule(_lower_adaptive, _refuses_adaptive),
    _aten.avg_pool2d.default: Rule(_lower_average, _refuses_average),
    _aten.max_pool2d.default: Rule(_lower_max, _refuses_window),
}
