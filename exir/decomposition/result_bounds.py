"""How large a result may get whose size is in the data, where the operator does not say it itself."""

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from torch import SymInt
from torch._ops import OpOverload
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import _constrain_range_for_size
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

Ranges = Mapping[sympy.Symbol, ValueRanges]


def ranges_of_result(op: OpOverload, args: tuple[Any, ...], result: Any) -> Ranges:
    """The range of the one size of `result`, which `op` gave for `args`; nothing where there is none
    to tell."""
    limit = _LIMITS.get(op.name())
    if limit is None or not isinstance(result.shape[0], SymInt):
        return {}
    node: Any = result.shape[0].node
    most = _largest(limit(args))
    if most is None:
        return {}
    _constrain_range_for_size(result.shape[0], max=most)
    return {node.expr: ValueRanges(0, most)}


def _largest(size: int | SymInt) -> int | None:
    if not isinstance(size, SymInt):
        return size
    node: Any = size.node
    upper = node.shape_env.bound_sympy(node.expr).upper
    return None if upper == int_oo else int(upper)


def _boxes(args: tuple[Any, ...]) -> int | SymInt:
    boxes = args[0]
    assert isinstance(boxes, Node)
    return boxes.meta["val"].shape[0]


_LIMITS: Mapping[str, Callable[[tuple[Any, ...]], int | SymInt]] = {"torchvision::nms": _boxes}
