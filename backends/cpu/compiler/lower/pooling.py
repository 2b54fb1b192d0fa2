"""Pooling of images, and means over height and width."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import TensorLayout
from backends.cpu.compiler.lower import reductions
from backends.cpu.compiler.lower.builder import Builder, channels_last, view
from backends.cpu.compiler.lower.parts import parts_of, refuses_but_first
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.pooling import PoolF32, PoolMode
from backends.cpu.schema.records import Pair, Window
from backends.cpu.schema.reduction import Reduction

_aten = torch.ops.aten
_IMAGE = channels_last(4)
_CEIL_OF_MAX = 5


def _emit(builder: Builder, node: Node, spec: PoolF32) -> None:
    source = builder.read(node.args[0], _IMAGE)
    builder.op(spec, [source], builder.write(node, _IMAGE), node)


def _refuses_image(program: Program, node: Node) -> Refusal:
    return None if tensor_of(node.args[0]).dim() == 4 else "pooling without a batch dimension is not supported"


def _lower_mean(builder: Builder, node: Node) -> None:
    """Lower means over height and width to global pooling.

    Other means are lowered to a reduction. Supports `keepdim`.
    """
    dims = reductions.dims_of_call(node, argument(node, 1, "dim"))
    if tensor_of(node.args[0]).dim() != 4 or dims != [2, 3]:
        reductions.lower(builder, node, Reduction.MEAN, dims)
        return
    if tensor_of(node).dim() == 4:
        _emit(builder, node, PoolF32(PoolMode.AVG))
        return
    rows = builder.write(node)
    batch, channels = rows.dims
    image = type(rows)(rows.dtype, (batch, 1, 1, channels))
    builder.alias(node, TensorLayout(view(image, rows.dims), (0, 1)))
    source = builder.read(node.args[0], _IMAGE)
    builder.op(PoolF32(PoolMode.AVG), [source], image, node)


def _lower_max_with_indices(builder: Builder, node: Node) -> None:
    for each in parts_of(node).get(0, []):
        _emit_max(builder, node, each, _window(node, _dilation(node), dims_at(each)))


def _refuses_max_with_indices(program: Program, node: Node) -> Refusal:
    outputs = node.meta["val"][0]
    if argument(node, _CEIL_OF_MAX, "ceil_mode", False) and not all(isinstance(size, int) for size in outputs.shape):
        return "ceil_mode with dynamic image sizes is not supported"
    return _refuses_image(program, node) or refuses_but_first(program, node)


def _emit_max(builder: Builder, node: Node, result: Node, window: Window) -> None:
    source = builder.read(node.args[0], _IMAGE)
    builder.op(PoolF32(PoolMode.MAX, window), [source], builder.write(result, _IMAGE), node)


def _refuses_window(program: Program, node: Node) -> Refusal:
    ceil_mode = argument(node, _ceil_at(node), "ceil_mode", False)
    if ceil_mode and not all(isinstance(size, int) for size in dims_at(node)[2:]):
        return "ceil_mode with dynamic image sizes is not supported"
    return _refuses_image(program, node)


def _ceil_at(node: Node) -> int:
    """Return the position of `ceil_mode` in the arguments."""
    return 4 if "avg" in str(node.target) else _CEIL_OF_MAX


def _refuses_average(program: Program, node: Node) -> Refusal:
    """Reject `count_include_pad` with `ceil_mode`.

    PyTorch does not count the padding that `ceil_mode` adds.
    """
    if argument(node, _ceil_at(node), "ceil_mode", False) and _counts_pads(node):
        return "average pooling with padding, ceil_mode and count_include_pad is not supported"
    return _refuses_window(program, node)


def _counts_pads(node: Node) -> bool:
    return argument(node, 5, "count_include_pad", True) and _pair(argument(node, 3, "padding", (0, 0))) != (0, 0)


def _lower_average(builder: Builder, node: Node) -> None:
    count_pads = _counts_pads(node)
    divisor = argument(node, 6, "divisor_override") or 0
    _emit(builder, node, PoolF32(PoolMode.AVG, _window(node, (1, 1), dims_at(node)), count_pads, divisor))


def _lower_max(builder: Builder, node: Node) -> None:
    _emit_max(builder, node, node, _window(node, _dilation(node), dims_at(node)))


def _dilation(node: Node) -> Pair:
    return _pair(argument(node, 4, "dilation", (1, 1)))


def _window(node: Node, dilation: Pair, outputs: Sequence[int]) -> Window:
    """Return the window. `ceil_mode` adds padding at the bottom and on the right."""
    kernel = _pair(argument(node, 1, "kernel_size"))
    stride = _pair(argument(node, 2, "stride") or kernel)
    top, left = _pair(argument(node, 3, "padding", (0, 0)))
    plain = Window(kernel, stride, (top, left, top, left), dilation)
    if not argument(node, _ceil_at(node), "ceil_mode", False):
        return plain
    below, right = (_missing(node, plain, axis, outputs[2 + axis]) for axis in (0, 1))
    return replace(plain, padding=(top, left, top + below, left + right))


def _missing(node: Node, window: Window, axis: int, count: int) -> int:
    """Return the number of pixels by which the last window exceeds the padded image."""
    size = dims_at(node.args[0])[2 + axis]
    reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1
    needed = (count - 1) * window.stride[axis] + reach
    return max(0, needed - size - 2 * window.padding[axis])


def _pair(sizes: Any) -> Pair:
    both = [sizes] if isinstance(sizes, int) else list(sizes)
    return both[0], both[-1]


_WITH_INDICES = (torch.float32, torch.int64)
RULES: dict[OpOverload, Rule] = {
    _aten.mean.dim: Rule(_lower_mean, reductions.refuses),
    _aten.avg_pool2d.default: Rule(_lower_average, _refuses_average, whole=True),
    _aten.max_pool2d.default: Rule(_lower_max, _refuses_window, whole=True),
    _aten.max_pool2d_with_indices.default: Rule(
        _lower_max_with_indices, _refuses_max_with_indices, dtypes=_WITH_INDICES, first=(torch.float32,)
    ),
}
