"""Bounds of data-dependent sizes that torch does not provide."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import sympy
import torch
from torch import SymInt
from torch._ops import OpOverload
from torch.fx import Node
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

Ranges = dict[sympy.Symbol, ValueRanges]


def ranges_of_result(op: OpOverload, args: tuple[Any, ...], result: Any) -> Ranges:
    """Return the range of the data-dependent size of `result`, computed by `op`.

    The range is empty if all sizes are static, or if no bound is known.
    """
    limit = _LIMITS.get(op.name())
    if limit is None:
        return {}
    first = result[0] if isinstance(result, (tuple, list)) else result
    size = next((size for size in first.shape if isinstance(size, SymInt)), None)
    if size is None:
        return {}
    node: Any = size.node
    bounds = [most for most in (max_size(limit(args)), max_size(size)) if most is not None]
    return {node.expr: ValueRanges(0, min(bounds))} if bounds else {}


def max_size(size: int | SymInt) -> int | None:
    """Return the upper bound of `size`, or None."""
    if not isinstance(size, SymInt):
        return size
    node: Any = size.node
    upper = node.shape_env.bound_sympy(node.expr).upper
    return None if upper == int_oo else int(upper)


def _broadcast_count(args: tuple[Any, ...]) -> int | SymInt:
    """Return the number of elements after broadcasting.

    torch counts only the elements of the first operand.
    """
    shapes = [argument.meta["val"].shape for argument in args]
    return prod(torch.broadcast_shapes(*shapes))


def _element_count(args: tuple[Any, ...]) -> int | SymInt:
    return prod(args[0].meta["val"].shape)


def _box_count(args: tuple[Any, ...]) -> int | SymInt:
    boxes = args[0]
    assert isinstance(boxes, Node)
    return boxes.meta["val"].shape[0]


_LIMITS: Mapping[str, Callable[[tuple[Any, ...]], int | SymInt]] = {
    "aten::_unique": _element_count,
    "aten::_unique2": _element_count,
    "aten::masked_select": _broadcast_count,
    "aten::nonzero": _element_count,
    "aten::unique_consecutive": _element_count,
    "aten::unique_dim": _element_count,
    "torchvision::nms": _box_count,
}
