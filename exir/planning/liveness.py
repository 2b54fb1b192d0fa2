"""The lifetimes of tensors in planned memory."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass

from torch.fx import GraphModule, Node

from exir.graph.control_flow import regions
from exir.tensor import TensorSpec, specs_of


@dataclass(frozen=True, order=True)
class Lifetime:
    """The first and last step, inclusive, at which a tensor's bytes are in use."""

    first: int
    last: int

    def overlaps(self, other: "Lifetime") -> bool:
        """Return whether the two lifetimes have a common step."""
        return self.first <= other.last and other.first <= self.last

    @property
    def steps(self) -> int:
        """The number of steps."""
        return self.last - self.first + 1


def schedule(graph_module: GraphModule) -> Iterator[Node]:
    """Yield the nodes in the order of their instructions.

    The graphs that a control-flow node runs precede the node.
    """
    for node in graph_module.graph.nodes:
        for region in regions(node):
            yield from schedule(region.graph_module)
        yield node


def lifetimes_of(graph_module: GraphModule) -> dict[TensorSpec, Lifetime]:
    """Return the lifetime of every tensor that owns memory.

    A node's step is its position in the schedule. A use of a view counts as a use of its base.

    - Inputs are live from the first step, and outputs to the last.
    - States are always live, because they persist between calls.
    - Operands, carried values and stacked results of control flow are live until it ends, because
      its graphs can run again.
    """
    first: dict[TensorSpec, int] = {}
    last: dict[TensorSpec, int] = {}
    started = _started_with(graph_module)
    nodes = list(schedule(graph_module))
    for step, node in enumerate(nodes):
        for spec in (*_touched_specs(node), *started.get(node, ())):
            first.setdefault(spec, step)
            last[spec] = step
    inputs = {
        spec for node in graph_module.graph.find_nodes(op="placeholder") for spec in specs_of(node)
    }
    end = len(nodes) - 1
    return {
        spec: Lifetime(0 if spec in inputs else first[spec], end if spec.state else last[spec])
        for spec in first
    }


def _started_with(graph_module: GraphModule) -> dict[Node, list[TensorSpec]]:
    """Return the stacked results that are live from the first node of a loop's graph."""
    return {
        next(iter(region.graph_module.graph.nodes)): [node.meta["spec"][i] for i in region.stacked]
        for node in schedule(graph_module)
        for region in regions(node)
        if "spec" in node.meta
    }


def _touched_specs(node: Node) -> Iterator[TensorSpec]:
    """Yield the specs that the node's instruction reads or writes.

    A `getitem` has no instruction.
    """
    if node.target is operator.getitem:
        return
    for operand in (node, *node.all_input_nodes):
        for spec in specs_of(operand):
            yield spec.storage
