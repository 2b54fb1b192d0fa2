"""When each tensor's memory is in use."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass

from torch.fx import GraphModule, Node

from exir.graph.control_flow import regions
from exir.tensor import TensorSpec, specs_of


@dataclass(frozen=True, order=True)
class Lifetime:
    """First and last step, both included, at which a tensor's bytes matter."""

    first: int
    last: int

    def overlaps(self, other: "Lifetime") -> bool:
        """Whether both live at some step."""
        return self.first <= other.last and other.first <= self.last

    @property
    def steps(self) -> int:
        """How many steps it lasts."""
        return self.last - self.first + 1


def schedule(graph_module: GraphModule) -> Iterator[Node]:
    """The nodes in the order that their instructions stand in; the graphs that a node of
    control flow runs, each in turn, before the node itself."""
    for node in graph_module.graph.nodes:
        for region in regions(node):
            yield from schedule(region.graph_module)
        yield node


def lifetimes_of(graph_module: GraphModule) -> dict[TensorSpec, Lifetime]:
    """Lifetime of every tensor that owns memory; a use of a view is a use of its base.

    A node's step is its place in the schedule. Inputs live from the first step, since they
    are set before it; outputs live to the last; states live all along, since their bytes are
    kept between calls. What control flow is given, carries or fills row by row lives until it
    is done, since its graphs may run again.
    """
    first: dict[TensorSpec, int] = {}
    last: dict[TensorSpec, int] = {}
    step = 0
    started = _started_with(graph_module)
    for step, node in enumerate(schedule(graph_module)):
        for spec in (*_touched(node), *started.get(node, ())):
            first.setdefault(spec, step)
            last[spec] = step
    inputs = {
        spec for node in graph_module.graph.find_nodes(op="placeholder") for spec in specs_of(node)
    }
    return {
        spec: Lifetime(0 if spec in inputs else first[spec], step if spec.state else last[spec])
        for spec in first
    }


def _started_with(graph_module: GraphModule) -> dict[Node, list[TensorSpec]]:
    """What is filled row by row, by the first node of the graph that computes the rows."""
    return {
        next(iter(region.graph_module.graph.nodes)): [node.meta["spec"][i] for i in region.stacked]
        for node in schedule(graph_module)
        for region in regions(node)
        if "spec" in node.meta
    }


def _touched(node: Node) -> Iterator[TensorSpec]:
    """Memory that the node's instruction reads or writes. A `getitem` is no instruction."""
    if node.target is operator.getitem:
        return
    for each in (node, *node.all_input_nodes):
        for spec in specs_of(each):
            yield spec.storage
