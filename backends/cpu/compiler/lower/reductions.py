"""Lowering of reductions: sums, means, products, extremes and their indices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is, view
from backends.cpu.compiler.lower.parts import parts_of
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import NUMBERS, Refusal, Rule
from backends.cpu.schema.elementwise import ElementwiseF32, Opcode
from backends.cpu.schema.reduction import Reduce, Reduction

_aten = torch.ops.aten


@dataclass(frozen=True)
class Rows:
    """A tensor viewed as three dimensions, of which the middle one is reduced.

    order: memory order of the tensor's dimensions.
    dims: reduced dimensions, which are adjacent in `order`.
    """

    x: Value
    order: Order
    dims: Sequence[int]

    def result(self, node: Node, value: Value) -> TensorLayout:
        """Return the layout of the result of `node`, which is stored in `value`.

        The result may or may not have the reduced dimensions.
        """
        order = self._order_after(tensor_of(node).dim())
        return TensorLayout(view(value, tuple(dims_at(node)[dim] for dim in order)), order)

    def _order_after(self, rank: int) -> Order:
        if rank == len(self.order):
            return self.order
        kept = [dim for dim in self.order if dim not in self.dims]
        return tuple(sorted(kept).index(dim) for dim in kept)


def rows_of(builder: Builder, node: Node, dims: Sequence[int], counted: bool = False) -> Rows:
    """Return the tensor of `node` as [A, R, C], where R merges the dimensions `dims`.

    counted: whether the reduction returns indices, which count elements in contiguous order.
    """
    in_order = counted and len(dims) > 1
    order, first = (as_it_is(len(dims)), 0) if in_order else _order_with(builder.layout(node), dims)
    sizes = tuple(dims_at(node)[dim] for dim in order)
    end = first + len(dims)
    runs = product(sizes[:first]), product(sizes[first:end]), product(sizes[end:])
    return Rows(view(builder.read(node, order), runs), order, dims)


def lower(builder: Builder, node: Node, reduction: Reduction, dims: Sequence[int]) -> None:
    """Emit `reduction` of the first operand over `dims`."""
    _emit(builder, node, [node], reduction, dims)


def _emit(builder: Builder, node: Node, results: Sequence[Node], reduction: Reduction, dims: Sequence[int]) -> None:
    rows = rows_of(builder, node.args[0], dims, reduction.is_index)
    for each in results:
        output = Value(tensor_of(each).dtype, (rows.x.dims[0], rows.x.dims[2]))
        builder.op(Reduce(reduction), [rows.x], output, node)
        builder.alias(each, rows.result(each, output))


def _extreme(reduction: Reduction, places: Reduction) -> Rule:
    """Return the rule of an operator that returns extremes and their indices."""

    def lower_parts(builder: Builder, node: Node) -> None:
        parts = parts_of(node)
        for index, each in enumerate((reduction, places)):
            _emit(builder, node, parts.get(index, []), each, dims_of_call(node, _named(node)))

    return Rule(lower_parts, refuses, dtypes=(torch.float32, torch.int64))


def _boolean_reduction(reduction: Reduction, given: Callable[[Node], Any]) -> Rule:
    """Return the rule of any() or all(): the maximum or minimum of ones and zeros."""

    def lower_boolean(builder: Builder, node: Node) -> None:
        rows = rows_of(builder, node.args[0], dims_of_call(node, given(node)))
        numbers, most = Value(torch.float32, rows.x.dims), Value(torch.float32, (rows.x.dims[0], rows.x.dims[2]))
        builder.op(_IS_TRUE, [rows.x], numbers, node)
        builder.op(Reduce(reduction), [numbers], most, node)
        result = Value(torch.bool, most.dims)
        builder.op(_IS_TRUE, [most], result, node)
        builder.alias(node, rows.result(node, result))

    return Rule(lower_boolean, _refuses_boolean, dtypes=NUMBERS)


_IS_TRUE = ElementwiseF32.call(Opcode.NE, None, 0.0)


def _refuses_boolean(program: Program, node: Node) -> Refusal:
    x = tensor_of(node.args[0])
    if x.dim() == 0:
        return "a scalar cannot be reduced"
    empty = any(program.bounds.minimum(size) < 1 for size in dims_at(node.args[0]))
    return "the reduced dimensions might have size 0" if empty else None


def _order_with(layout: TensorLayout, dims: Sequence[int]) -> tuple[Order, int]:
    """Return an order in which `dims` are adjacent, and their first position.

    The order is that of `layout` if possible.
    """
    places = sorted(layout.order.index(dim) for dim in dims)
    if places == list(range(places[0], places[0] + len(places))):
        return layout.order, places[0]
    others = tuple(dim for dim in layout.order if dim not in dims)
    return (*others, *dims), len(others)


def dims_of_call(node: Node, given: Any) -> list[int]:
    """Return the dimensions that a call reduces, which are all dimensions by default."""
    rank = tensor_of(node.args[0]).dim()
    named = [given] if isinstance(given, int) else list(given or ())
    return sorted({dim % rank for dim in named}) if named else list(range(rank))


def _rule(reduction: Reduction, given: Callable[[Node], Any]) -> Rule:
    return Rule(
        lambda builder, node: lower(builder, node, reduction, dims_of_call(node, given(node))),
        refuses,
        dtypes=(torch.float32, torch.int64) if reduction.is_index else (torch.float32,),
    )


def refuses(program: Program, node: Node) -> Refusal:
    """Return the reason that a reduction is not supported, or None."""
    x = tensor_of(node.args[0])
    if x.dtype != torch.float32:
        return f"reduction of {x.dtype} is not supported"
    return "a scalar cannot be reduced" if x.dim() == 0 else None


def _named(node: Node) -> Any:
    return argument(node, 1, "dim")


def _none(node: Node) -> None:
    return None


RULES: dict[OpOverload, Rule] = {
    _aten.sum.dim_IntList: _rule(Reduction.SUM, _named),
    _aten.mean.default: _rule(Reduction.MEAN, _none),
    _aten.sum.default: _rule(Reduction.SUM, _none),
    _aten.amax.default: _rule(Reduction.MAX, _named),
    _aten.amin.default: _rule(Reduction.MIN, _named),
    _aten.prod.dim_int: _rule(Reduction.PRODUCT, _named),
    _aten.prod.default: _rule(Reduction.PRODUCT, _none),
    _aten.argmax.default: _rule(Reduction.ARGMAX, _named),
    _aten.argmin.default: _rule(Reduction.ARGMIN, _named),
    _aten.max.default: _rule(Reduction.MAX, _none),
    _aten.min.default: _rule(Reduction.MIN, _none),
    _aten.max.dim: _extreme(Reduction.MAX, Reduction.ARGMAX),
    _aten.min.dim: _extreme(Reduction.MIN, Reduction.ARGMIN),
    _aten.any.default: _boolean_reduction(Reduction.MAX, _none),
    _aten.any.dim: _boolean_reduction(Reduction.MAX, _named),
    _aten.any.dims: _boolean_reduction(Reduction.MAX, _named),
    _aten.all.default: _boolean_reduction(Reduction.MIN, _none),
    _aten.all.dim: _boolean_reduction(Reduction.MIN, _named),
}
