"""Operators that make one number of many: sums, means, extremes and where they stand."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import Laid
from backends.cpu.compiler.kinds.reduce import Reduce, Reduction
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is, view
from backends.cpu.compiler.lower.rule import Program, Refusal, Rule, argument, dims_at, tensor_of

_aten = torch.ops.aten


def lower(builder: Builder, node: Node, reduction: Reduction, dims: Sequence[int]) -> None:
    """`reduction` of the first operand over `dims`, which it may keep as sizes of 1."""
    x = node.args[0]
    counted = reduction >= Reduction.FIRST_MOST and len(dims) > 1
    order, first = (as_it_is(len(dims)), 0) if counted else _order_with(builder.laid(x), dims)
    sizes = tuple(dims_at(x)[dim] for dim in order)
    end = first + len(dims)
    runs = product(sizes[:first]), product(sizes[first:end]), product(sizes[end:])
    output = builder.write(node, _order_after(node, order, dims))
    builder.step(Reduce(reduction), [view(builder.read(x, order), runs)], view(output, (runs[0], runs[2])), node)


def _order_with(laid: Laid, dims: Sequence[int]) -> tuple[Order, int]:
    """An order in which `dims` stand together, and where: as it lies if they do so there."""
    places = sorted(laid.order.index(dim) for dim in dims)
    if places == list(range(places[0], places[0] + len(places))):
        return laid.order, places[0]
    others = tuple(dim for dim in laid.order if dim not in dims)
    return (*others, *dims), len(others)


def _order_after(node: Node, order: Order, dims: Sequence[int]) -> Order:
    if tensor_of(node).dim() == len(order):
        return order
    kept = [dim for dim in order if dim not in dims]
    return tuple(sorted(kept).index(dim) for dim in kept)


def dims_of_call(node: Node, given: Any) -> list[int]:
    """The dimensions that a call names; all of them when it names none."""
    rank = tensor_of(node.args[0]).dim()
    named = [given] if isinstance(given, int) else list(given or ())
    return sorted({dim % rank for dim in named}) if named else list(range(rank))


def _rule(reduction: Reduction, given: Callable[[Node], Any]) -> Rule:
    return Rule(
        lambda builder, node: lower(builder, node, reduction, dims_of_call(node, given(node))),
        refuses,
        dtypes=(torch.float32, torch.int64) if reduction >= Reduction.FIRST_MOST else (torch.float32,),
    )


def refuses(program: Program, node: Node) -> Refusal:
    """Why a reduction is not taken."""
    x = tensor_of(node.args[0])
    if x.dtype != torch.float32:
        return f"numbers of {x.dtype} are not reduced"
    return "a number is not reduced" if x.dim() == 0 else None


def _named(node: Node) -> Any:
    return argument(node, 1, "dim")


def _none(node: Node) -> None:
    return None


RULES: dict[OpOverload, Rule] = {
    _aten.sum.dim_IntList: _rule(Reduction.SUM, _named),
    _aten.mean.default: _rule(Reduction.MEAN, _none),
    _aten.sum.default: _rule(Reduction.SUM, _none),
    _aten.amax.default: _rule(Reduction.MOST, _named),
    _aten.amin.default: _rule(Reduction.LEAST, _named),
    _aten.prod.dim_int: _rule(Reduction.PRODUCT, _named),
    _aten.prod.default: _rule(Reduction.PRODUCT, _none),
    _aten.argmax.default: _rule(Reduction.FIRST_MOST, _named),
    _aten.argmin.default: _rule(Reduction.FIRST_LEAST, _named),
}
