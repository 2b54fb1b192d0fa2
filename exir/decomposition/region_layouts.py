"""Updates layouts at the boundary of control flow when its graphs are rewritten.

A view that becomes a copy is dense, whatever the strides of the view were. The layouts of placeholders
and results of branches and loop bodies can therefore differ from the exported program.
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
    """Return the value of each placeholder of `region` for the given operand values."""
    vals = {}
    for position, (placeholder, operand) in enumerate(region.bindings):
        known: Any = placeholder.meta.get("val")
        followed = _apply_layout_change(known, values(operand), operands[position])
        is_other_row = position in region.sliced and followed is not known
        vals[placeholder] = _is_contiguous(known) if is_other_row else followed
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
    """Return `known`, with the layout of `now` if that differs from `before`."""
    if not isinstance(now, FakeTensor) or same_layout(before, now):
        return known
    return now if same_sizes(known.shape, now.shape) else _is_contiguous(known)


def _is_contiguous(val: Tensor) -> Tensor:
    return val.clone(memory_format=torch.contiguous_format)


def _with_layout(result: Any, like: Any, output: Node) -> Any:
    """Return `result`, or a copy with the layout of `like` if it is a memory format."""
    val = result.meta["val"] if isinstance(result, Node) else None
    if not isinstance(val, FakeTensor) or dim_order(val) == dim_order(like):
        return result
    memory_format = _memory_format(dim_order(like))
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
