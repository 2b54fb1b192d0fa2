"""Memory layouts of fake tensors: strides and dim orders."""

from collections.abc import Iterable, Sequence
from typing import Any

from torch import SymInt, Tensor
from torch._subclasses.fake_tensor import FakeTensor

from exir.graph.size_bounds import Bound, hint_bound
from exir.tensor import dim_order_of_strides


def same_layout(a: Any, b: Any) -> bool:
    """Return true if two values are tensors of the same dtype, shape and strides."""
    return (
        isinstance(a, FakeTensor)
        and isinstance(b, FakeTensor)
        and a.dtype == b.dtype
        and same_sizes(a.shape, b.shape)
        and same_sizes(a.stride(), b.stride())
    )


def same_sizes(a: Sequence[int | SymInt], b: Sequence[int | SymInt]) -> bool:
    """Return true if sizes are equal as expressions, for any values of the symbols."""
    return len(a) == len(b) and all(_size_expression(x) == _size_expression(y) for x, y in zip(a, b))


def dim_order(tensor: Tensor) -> tuple[int, ...] | None:
    """Return the dim order; None if it depends on sizes known only at run time."""
    shape, strides = _size_hints(tensor.shape), _size_hints(tensor.stride())
    return None if shape is None or strides is None else dim_order_of_strides(shape, strides)


def planned_dim_order(tensor: Tensor, bound: Bound) -> tuple[int, ...]:
    """Return the dim order for the largest sizes, for which memory is planned.

    A size without a bound has the size of the example inputs.
    """

    def largest(sizes: Iterable[int | SymInt]) -> list[int]:
        return [bound(size) or hint_bound(size) or 0 for size in sizes]

    return dim_order_of_strides(largest(tensor.shape), largest(tensor.stride()))


def _size_expression(size: int | SymInt) -> Any:
    return size.node.expr if isinstance(size, SymInt) else size


def _size_hints(sizes: Iterable[int | SymInt]) -> list[int] | None:
    """Return the sizes for the example inputs; None if one is unknown."""
    hints = [hint_bound(size) for size in sizes]
    known = [hint for hint in hints if hint is not None]
    return known if len(known) == len(hints) else None
