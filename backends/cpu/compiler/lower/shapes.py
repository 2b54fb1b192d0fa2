"""Lowering of views and permutations. Most of them need no op."""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operators)
from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import TensorLayout
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is, view
from backends.cpu.compiler.lower.program import dims_at, tensor_of
from backends.cpu.compiler.lower.rule import ANY, Rule

_aten = torch.ops.aten
_dim_order = torch.ops.dim_order_ops


def _lower_same(builder: Builder, node: Node) -> None:
    builder.alias(node, builder.layout(node.args[0]))


def _lower_permute(builder: Builder, node: Node) -> None:
    rank = tensor_of(node).dim()
    _alias_permuted(builder, node, [dim % rank for dim in node.args[1]])


def _lower_transpose(builder: Builder, node: Node) -> None:
    rank = tensor_of(node).dim()
    if rank == 0:
        _lower_same(builder, node)
        return
    first, second = (dim % rank for dim in node.args[1:3])
    dims = list(range(rank))
    dims[first], dims[second] = second, first
    _alias_permuted(builder, node, dims)


def _lower_t(builder: Builder, node: Node) -> None:
    _alias_permuted(builder, node, list(reversed(range(tensor_of(node).dim()))))


def _alias_permuted(builder: Builder, node: Node, dims: list[int]) -> None:
    layout = builder.layout(node.args[0])
    builder.alias(node, TensorLayout(layout.value, tuple(dims.index(dim) for dim in layout.order)))


def _lower_view(builder: Builder, node: Node) -> None:
    """Lower to a view if no elements move.

    The dimensions of each group that is split or merged must be consecutive in memory.
    """
    layout, dims = builder.layout(node.args[0]), dims_at(node)
    order = viewed_order(layout, dims)
    if order is None:
        layout, order = TensorLayout(builder.read(node.args[0]), as_it_is(len(layout.order))), as_it_is(len(dims))
    builder.alias(node, TensorLayout(view(layout.value, tuple(dims[dim] for dim in order)), order))


def viewed_order(layout: TensorLayout, dims: Sequence[Dim]) -> Order | None:
    """Return the memory order of a view of `layout` with sizes `dims`.

    Return None if elements would have to be moved.
    """
    if 0 in dims:
        return as_it_is(len(dims))
    place = {dim: position for position, dim in enumerate(layout.order)}
    placed: list[tuple[int, list[int]]] = []
    for old, new in _groups(layout.dims, dims):
        positions = [place[dim] for dim in old if layout.dims[dim] != 1]
        if not _are_consecutive(positions, layout):
            return None
        placed.append((positions[0] if positions else -1, new))
    return tuple(dim for _, new in sorted(placed, key=lambda each: each[0]) for dim in new)


def _are_consecutive(positions: list[int], layout: TensorLayout) -> bool:
    """Return whether all dimensions between these positions in memory have size 1."""
    if positions != sorted(positions):
        return False
    between = range(positions[0], positions[-1]) if positions else ()
    return all(layout.value.dims[at] == 1 or at in positions for at in between)


def _groups(old: Sequence[Dim], new: Sequence[Dim]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield pairs of minimal runs of dimensions with the same number of elements.

    Each pair contains a run of `old` and a run of `new`. If expressions for the same number differ
    in form, the last run has all remaining dimensions.
    """
    i = j = 0
    while i < len(old) or j < len(new):
        first, second = [i] if i < len(old) else [], [j] if j < len(new) else []
        i, j = i + len(first), j + len(second)
        while (left := _elements(old, first)) != (right := _elements(new, second)):
            if i == len(old) and j == len(new):
                break
            if j == len(new) or (i < len(old) and _is_less(left, right)):
                first, i = [*first, i], i + 1
            else:
                second, j = [*second, j], j + 1
        yield first, second


def _elements(dims: Sequence[Dim], some: list[int]) -> Dim:
    return product([dims[dim] for dim in some])


def _is_less(left: Dim, right: Dim) -> bool:
    """Return whether `left` is less than `right`.

    Symbolic expressions compare greater than any integer.
    """
    if isinstance(left, int) and isinstance(right, int):
        return left < right
    return isinstance(left, int)


def _look(lower: Callable[[Builder, Node], None]) -> Rule:
    return Rule(lower, computes=False, dtypes=ANY, numbers=True)


RULES: dict[OpOverload, Rule] = {
    _aten.permute_copy.default: _look(_lower_permute),
    _aten.permute.default: _look(_lower_permute),
    _aten.transpose_copy.int: _look(_lower_transpose),
    _aten.t_copy.default: _look(_lower_t),
    _aten.view_copy.default: _look(_lower_view),
    _aten.squeeze_copy.dim: _look(_lower_view),
    _aten.squeeze_copy.dims: _look(_lower_view),
    _aten.unsqueeze_copy.default: _look(_lower_view),
    _aten.clone.default: _look(_lower_same),
    _aten.alias_copy.default: _look(_lower_same),
    _dim_order._clone_dim_order.default: _look(_lower_same),
}
