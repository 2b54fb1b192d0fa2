"""Layouts of what control flow gives to its graphs and gets from them, when all are rewritten.

A view that becomes a copy is dense, whatever its strides were, so that what it is given to lies
in another way than the exported program says: the placeholders of branches and loop bodies, and
what comes back from them.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import Graph, Node

from exir.dialects.edge import edge_op
from exir.graph.control_flow import Region, results_of
from exir.graph.graph_builder import inherited_meta, values
from exir.graph.layouts import dim_order, same_layout, same_sizes

_CLONE = torch.ops.aten.clone.default
_CHANNELS_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def placeholder_values(region: Region, operands: Sequence[Any]) -> dict[Node, Any]:
    """What each placeholder of `region` holds when the values of its operands are `operands`."""
    given = {}
    for position, (placeholder, operand) in enumerate(region.bindings):
        known: Any = placeholder.meta.get("val")
        followed = _followed(known, values(operand), operands[position])
        is_other_row = position in region.sliced and followed is not known
        given[placeholder] = _contiguous(known) if is_other_row else followed
    return given


def returned_values(
    region: Region, known: Sequence[Any], operands: Sequence[Any], results: Sequence[Any]
) -> tuple[Any, ...]:
    """What control flow returns, in place of `known`, when `region` is given and returns these values.

    What a loop carries keeps the layout that it starts with.
    """
    returned = list(known)
    for index, position in enumerate(region.carried):
        before = values(region.operands[position])
        returned[index] = _followed(known[index], before, operands[position])
    for before, now, index in zip(values(region.results), results, region.values):
        returned[index] = _followed(known[index], before, now)
    return tuple(returned)


def fit_results(region: Region, graph: Graph, returned: Sequence[Any]) -> None:
    """Copy those results of `graph`, the rewritten `region`, that do not lie as `returned` does."""
    output, results = graph.output_node(), results_of(graph)
    places = {**dict(enumerate(region.values)), **dict(zip(region.hands_on, count()))}
    for position, index in places.items():
        results[position] = _laid_out(results[position], returned[index], output)
    if places:
        output.args = (tuple(results),)


def _followed(known: Any, before: Any, now: Any) -> Any:
    """`known`, which lay as `before` did, as `now` lies."""
    if not isinstance(now, FakeTensor) or same_layout(before, now):
        return known
    return now if same_sizes(known.shape, now.shape) else _contiguous(known)


def _contiguous(val: Tensor) -> Tensor:
    return val.clone(memory_format=torch.contiguous_format)


def _laid_out(result: Any, wanted: Any, output: Node) -> Any:
    """`result`, or a copy of it that lies as `wanted` does, where a memory format names that."""
    val = result.meta["val"] if isinstance(result, Node) else None
    if not isinstance(val, FakeTensor) or dim_order(val) == dim_order(wanted):
        return result
    memory_format = _memory_format(dim_order(wanted))
    if memory_format is None:
        return result
    options: dict[str, Any] = {"memory_format": memory_format}
    with output.graph.inserting_before(output):
        copy = output.graph.call_function(edge_op(_CLONE), (result,), options)
    copy.meta = {**inherited_meta(result), "val": val.clone(memory_format=memory_format)}
    return copy


def _memory_format(order: tuple[int, ...] | None) -> torch.memory_format | None:
    if order is None:
        return None
    rank = len(order)
    if order == tuple(range(rank)):
        return torch.contiguous_format
    return _CHANNELS_LAST.get(rank) if order == (0, *range(2, rank), 1) else None
