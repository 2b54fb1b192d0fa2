"""A uniform view of control flow: nodes that run graphs.

Liveness, spec propagation, verifiers, planning, emission and copying access control flow only through
`regions`. A new control-flow operator needs an entry in `_REGIONS` and its instructions in `exir/emit/`.
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
    """A graph that a control-flow node runs.

    holder: the `get_attr` node that refers to the graph.
    operands: the operands, one for each placeholder: a node or a scalar.
    after: the regions that can precede this one, as positions among the node's regions; or `START`.
    is_last: whether the node can finish after this region.
    values: for each result, the index of the node's value that it becomes; empty if the results are not
        values.
    carried: positions of placeholders that start as their operands and then hold values of the previous
        iteration. The n-th shares the memory of the node's n-th value.
    carried_results: positions of the results that become the carried values, in order.
    sliced: positions of placeholders that hold one row of their operand, the next row in each iteration.
    stacked: positions of results that become one row per iteration. The rows form the node's value at
        the same position.
    """

    holder: Node
    operands: tuple[Any, ...]
    after: tuple[int, ...] = (START,)
    is_last: bool = True
    values: tuple[int, ...] = ()
    carried: tuple[int, ...] = ()
    carried_results: tuple[int, ...] = ()
    sliced: tuple[int, ...] = ()
    stacked: tuple[int, ...] = ()

    @property
    def graph_module(self) -> GraphModule:
        """The graph. Raises `UnsupportedOperatorError` if the attribute is not a graph."""
        assert isinstance(self.holder.target, str)
        graph_module = getattr(self.holder.graph.owning_module, self.holder.target)
        if not isinstance(graph_module, GraphModule):
            raise UnsupportedOperatorError(f"'{self.holder.target}' is not a graph", self.holder)
        return graph_module

    @property
    def bindings(self) -> list[tuple[Node, Any]]:
        """Each placeholder with its operand."""
        placeholders = self.graph_module.graph.find_nodes(op="placeholder")
        return list(zip(placeholders, self.operands, strict=True))

    @property
    def results(self) -> list[Any]:
        """The results of the graph."""
        return results_of(self.graph_module.graph)

    @property
    def carriers(self) -> list[Node]:
        """The placeholders of carried values."""
        return [self.bindings[position][0] for position in self.carried]

    @property
    def slices(self) -> list[Node]:
        """The placeholders of rows."""
        return [self.bindings[position][0] for position in self.sliced]


def regions(node: Node) -> list[Region]:
    """Return the graphs that `node` runs, in the order of their instructions.

    The list is empty if `node` is not a supported control-flow operator.
    """
    if not isinstance(node.target, HigherOrderOperator) or node.target not in _REGIONS:
        return []
    return _REGIONS[node.target](node)


def results_of(graph: Graph) -> list[Any]:
    """Return the results of a graph as a list."""
    returned = graph.output_node().args[0]
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]


def graphs(graph_module: GraphModule) -> Iterator[GraphModule]:
    """Yield `graph_module` and all graphs nested in it."""
    yield graph_module
    for node in graph_module.graph.nodes:
        for region in regions(node):
            yield from graphs(region.graph_module)


def _cond_regions(node: Node) -> list[Region]:
    """`torch.cond(predicate, true_graph, false_graph, operands)`: one graph runs."""
    _, on_true, on_false, operands = node.args
    count = len(node.meta["val"])
    return [
        Region(branch, tuple(operands), values=tuple(range(count))) for branch in (on_true, on_false)
    ]


def _while_regions(node: Node) -> list[Region]:
    """`while_loop(condition, body, carried, others)`: run body while condition holds."""
    condition, body, carried, others = node.args
    positions = tuple(range(len(carried)))
    operands = (*carried, *others)
    return [
        Region(condition, operands, (START, 1), carried=positions),
        Region(body, operands, (0,), is_last=False, carried=positions, carried_results=positions),
    ]


def _map_regions(node: Node) -> list[Region]:
    """`map(body, rows, others)`: the body runs once for each row."""
    body, rows, others = node.args
    results = tuple(range(len(node.meta["val"])))
    sliced = tuple(range(len(rows)))
    return [Region(body, (*rows, *others), (START, 0), sliced=sliced, stacked=results)]


def _scan_regions(node: Node) -> list[Region]:
    """`scan(body, carried, rows, others)`: the body runs for each row, in order."""
    body, carried, rows, others = node.args
    count = len(carried)
    region = Region(
        body,
        (*carried, *rows, *others),
        (START, 0),
        carried=tuple(range(count)),
        carried_results=tuple(range(count)),
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
