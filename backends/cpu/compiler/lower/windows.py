"""Limits on windows: kernel size, stride, padding and dilation."""

from collections.abc import Iterator

import torch
from torch.fx import Node

from backends.cpu.compiler.lower.program import dims_at
from backends.cpu.compiler.lower.rule import Refusal
from backends.cpu.schema.kernel_sizes import DWCONV_F32_MAX_ROWS, MAX_KERNEL
from exir.dialects.edge import to_torch_overload

_aten = torch.ops.aten
_GROUPS = 8

MAX_SIZE = MAX_KERNEL
"""The largest kernel, stride, padding and dilation of one operator.

Padding of several operators can add up to more.
"""

# Positions of the arguments that describe the window of an operator. List arguments have one size
# per axis.
_OF_WINDOW: dict[object, range] = {
    _aten.convolution.default: range(3, 8),
    _aten.col2im.default: range(2, 6),
    _aten.avg_pool2d.default: range(1, 4),
    _aten.avg_pool3d.default: range(1, 4),
    _aten.max_pool2d.default: range(1, 5),
    _aten.max_pool2d_with_indices.default: range(1, 5),
    _aten.max_pool3d_with_indices.default: range(1, 5),
}


def refuses_window(node: Node) -> Refusal:
    """Return the reason that no op supports the window of `node`, or None.

    Kernel, stride, padding and dilation must not exceed the limits of the ops.
    """
    largest = max(_sizes(node), default=0)
    if largest > MAX_SIZE:
        return f"a window size of {largest} is not supported; the maximum is {MAX_SIZE}"
    rows = _depthwise_rows(node)
    if rows > DWCONV_F32_MAX_ROWS:
        return f"a depthwise kernel height of {rows} is not supported; the maximum is {DWCONV_F32_MAX_ROWS}"
    return None


def _sizes(node: Node) -> Iterator[int]:
    operator = to_torch_overload(node.target)
    for index in _OF_WINDOW.get(operator, range(0)):
        if len(node.args) > index and isinstance(node.args[index], (list, tuple)):
            yield from node.args[index]
    if operator == _aten.convolution.default:
        yield from (size for size in dims_at(node.args[1])[2:] if isinstance(size, int))


def _depthwise_rows(node: Node) -> int:
    """Return the kernel height of a depthwise convolution of images, or 0."""
    if to_torch_overload(node.target) != _aten.convolution.default or node.args[_GROUPS] == 1:
        return 0
    dims = dims_at(node.args[1])
    return dims[2] if len(dims) == 4 and dims[1] == 1 and isinstance(dims[2], int) else 0
