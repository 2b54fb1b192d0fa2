"""Control flow as every walk over a graph sees it: nodes that run graphs of their own.

`regions` is all that liveness, spec propagation, verifiers, planning, emission and copying know
of an operator of control flow. Another one is another entry of `_REGIONS`, and its instructions
in `exir/emit/`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch._ops import HigherOrderOperator
from torch.fx import Graph, GraphModule, Node

from exir.error import UnsupportedOperatorError

START = -1
"""In `Region.after`: the region may be the first to run."""


@dataclass(frozen=True)
class Region:
    """A graph that a node of control flow runs.

    holder: the `get_attr` node that names the graph.
    operands: what the node gives it, one for each placeholder: a node or a number.
    after: positions, among the node's regions, of those that it may follow; or `START`.
    is_last: whether the node may be done when the region has run.
    values: for each result the index of the node's value that it is; empty when it is none.
    carried: positions of the placeholders that start as their operands and then hold what runs
        hand on; the n-th of each region lies where the node's n-th value does.
    hands_on: positions of the results that become the carried values, in their order.
    sliced: positions of the placeholders that hold one row of their operand, another each run.
    stacked: positions of the results that are each one row, by run, of the node's value of the
        same position.
    """

    holder: Node
    operands: tuple[Any, ...]
    after: tuple[int, ...] = (START,)
    is_last: bool = True
    values: tuple[int, ...] = ()
    carried: tuple[int, ...] = ()
    hands_on: tuple[int, ...] = ()
    sliced: tuple[int, ...] = ()
    stacked: tuple[int, ...] = ()

    @property
    def graph_module(self) -> GraphModule:
        """The graph itself. Raises `UnsupportedOperatorError` when the holder names none."""
        assert isinstance(self.holder.target, str)
        graph_module = getattr(self.holder.graph.owning_module, self.holder.target)
        if not isinstance(graph_module, GraphModule):
            raise UnsupportedOperatorError(f"'{self.holder.target}' is no graph", self.holder)
        return graph_module

    @property
    def bindings(self) -> list[tuple[Node, Any]]:
        """Each placeholder with its operand."""
        placeholders = self.graph_module.graph.find_nodes(op="placeholder")
        return list(zip(placeholders, self.operands, strict=True))

    @property
    def results(self) -> list[Any]:
        """What the graph returns."""
        return results_of(self.graph_module.graph)

    @property
    def carriers(self) -> list[Node]:
        """The placeholders that hold carried values."""
        return [self.bindings[position][0] for position in self.carried]

    @property
    def slices(self) -> list[Node]:
        """The placeholders that hold rows."""
        return [self.bindings[position][0] for position in self.sliced]


def regions(node: Node) -> list[Region]:
    """The graphs that `node` runs, in the order that their instructions stand in.

    None for a node that is no control flow that the compiler knows.
    """
    if not isinstance(node.target, HigherOrderOperator) or node.target not in _REGIONS:
        return []
    return _REGIONS[node.target](node)


def results_of(graph: Graph) -> list[Any]:
    """What a graph returns, alone or with others."""
    returned = graph.output_node().args[0]
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]


def graphs(graph_module: GraphModule) -> Iterator[GraphModule]:
    """`graph_module`, the graphs that its nodes run, and those inside them."""
    yield graph_module
    for node in graph_module.graph.nodes:
        for region in regions(node):
            yield from graphs(region.graph_module)


def _cond_regions(node: Node) -> list[Region]:
    """Of `torch.cond(predicate, true graph, false graph, operands)`: one of the two runs."""
    _, on_true, on_false, operands = node.args
    count = len(node.meta["val"])
    return [Region(each, tuple(operands), values=tuple(range(count))) for each in (on_true, on_false)]


def _while_regions(node: Node) -> list[Region]:
    """Of `while_loop(condition, body, carried, others)`: the body while the condition holds."""
    condition, body, carried, others = node.args
    positions = tuple(range(len(carried)))
    operands = (*carried, *others)
    return [
        Region(condition, operands, (START, 1), carried=positions),
        Region(body, operands, (0,), is_last=False, carried=positions, hands_on=positions),
    ]


def _map_regions(node: Node) -> list[Region]:
    """Of `map(body, rows, others)`: the body once for each row."""
    body, rows, others = node.args
    results = tuple(range(len(node.meta["val"])))
    sliced = tuple(range(len(rows)))
    return [Region(body, (*rows, *others), (START, 0), sliced=sliced, stacked=results)]


def _scan_regions(node: Node) -> list[Region]:
    """Of `scan(body, carried, rows, others)`: the body once for each row, in turn."""
    body, carried, rows, others = node.args
    count = len(carried)
    region = Region(
        body,
        (*carried, *rows, *others),
        (START, 0),
        carried=tuple(range(count)),
        hands_on=tuple(range(count)),
        sliced=tuple(range(count, count + len(rows))),
        stacked=tuple(range(count, len(node.meta["val"]))),
    )
    return [region]


_REGIONS: Mapping[HigherOrderOperator, Callable[[Node], list[Region]]] = {
    torch.ops.higher_order.cond: _cond_regions,
    torch.ops.higher_order.while_loop: _while_regions,
    torch.ops.higher_order.map_impl: _map_regions,
    torch.ops.higher_order.scan: _scan_regions,
}
