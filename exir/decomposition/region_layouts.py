"""Updates layouts at the boundary of control flow when its graphs are rewritten.

A view that becomes a copy is dense, whatever the strides of the view were. The layouts of placeholders
and results of branches and loop bodies can therefore differ from the exported program.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import Graph, Node

from exir.dialects.edge import edge_op
from exir.graph.control_flow import Region, results_of
from exir.graph.graph_builder import inherited_meta, values
from exir.graph.layouts import planned_dim_order, same_layout, same_sizes
from exir.graph.size_bounds import hint_bound

_CLONE = torch.ops.aten.clone.default
_CHANNELS_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def placeholder_values(region: Region, operands: Sequence[Any]) -> dict[Node, Any]:
    """Return the value of each placeholder of `region` for the given operand values."""
    vals = {}
    for position, (placeholder, operand) in enumerate(region.bindings):
        known: Any = placeholder.meta.get("val")
        vals[placeholder] = _apply_layout_change(known, values(operand), operands[position])
    return vals


def returned_values(
    region: Region, known: Sequence[Any], operands: Sequence[Any], results: Sequence[Any]
) -> tuple[Any, ...]:
    """Return the result values of control flow for new operands and region results.

    `known` contains the exported values. A carried value keeps its initial layout.
    """
    returned = list(known)
    for index, position in enumerate(region.carried):
        before = values(region.operands[position])
        returned[index] = _apply_layout_change(known[index], before, operands[position])
    for before, now, index in zip(values(region.results), results, region.values):
        returned[index] = _apply_layout_change(known[index], before, now)
    return tuple(returned)


def fit_results(region: Region, graph: Graph, returned: Sequence[Any]) -> None:
    """Copy the results of the rewritten region whose layout differs from `returned`.

    `graph` is the rewritten graph of `region`.
    """
    output, results = graph.output_node(), results_of(graph)
    places = {**dict(enumerate(region.values)), **dict(zip(region.carried_results, count()))}
    for position, index in places.items():
        results[position] = _with_layout(results[position], returned[index], output)
    if places:
        output.args = (tuple(results),)


def _apply_layout_change(known: Any, before: Any, now: Any) -> Any:
    """Return `known`, with the layout of `now` if that differs from `before`.

    If `now` has other sizes than `known`, which is one of its rows for example, the result is contiguous.
    """
    if not isinstance(now, FakeTensor) or same_layout(before, now):
        return known
    return now if same_sizes(known.shape, now.shape) else _contiguous(known)


def _contiguous(val: Tensor) -> Tensor:
    return val.clone(memory_format=torch.contiguous_format)


def _with_layout(result: Any, like: Any, output: Node) -> Any:
    """Return `result`, or a copy with the layout of `like` if it is a memory format."""
    val = result.meta["val"] if isinstance(result, Node) else None
    if not isinstance(val, FakeTensor) or _order_of(val) == _order_of(like):
        return result
    memory_format = _memory_format(_order_of(like))
    if memory_format is None:
        return result
    options: dict[str, Any] = {"memory_format": memory_format}
    with output.graph.inserting_before(output):
        copy = output.graph.call_function(edge_op(_CLONE), (result,), options)
    copy.meta = {**inherited_meta(result), "val": val.clone(memory_format=memory_format)}
    return copy


def _order_of(val: Tensor) -> tuple[int, ...]:
    """Return the dim order; sizes known only at run time are taken as 2."""

    def size_of(size: int | SymInt) -> int | None:
        if not isinstance(size, SymInt) or size.node.has_hint():
            return hint_bound(size)
        return int(size.node.expr.subs(dict.fromkeys(size.node.expr.free_symbols, 2)))

    return planned_dim_order(val, size_of)


def _memory_format(order: tuple[int, ...]) -> torch.memory_format | None:
    rank = len(order)
    if order == tuple(range(rank)):
        return torch.contiguous_format
    return _CHANNELS_LAST.get(rank) if order == (0, *range(2, rank), 1) else None
