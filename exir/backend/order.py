"""Topological order of a graph in which groups of nodes are merged."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torch.fx import Graph, Node

from exir.error import UserError


@dataclass
class _OrderUnit:
    """A node, or all nodes of a tag, which are ordered as a unit."""

    position: int
    nodes: Sequence[Node]
    tag: str | None = None
    waits_for: int = 0
    readers: list["_OrderUnit"] = field(default_factory=list)

    def __lt__(self, other: "_OrderUnit") -> bool:
        return self.position < other.position


def units_in_order(
    graph: Graph, members: Mapping[str, Sequence[Node]]
) -> list[tuple[str | None, Sequence[Node]]]:
    """Return nodes and tagged groups in topological order; ties keep graph order.

    An entry is a tag with its nodes, or None with one node. Raises a `UserError` if a group depends
    on its own results through other nodes.
    """
    units = _make_units(graph, members)
    _link_units(units)
    ordered = _sort_topologically(units)
    if len(ordered) != len(units):
        _reject_cycle([unit for unit in units if unit.waits_for > 0])
    return [(unit.tag, unit.nodes) for unit in ordered]


def _make_units(graph: Graph, members: Mapping[str, Sequence[Node]]) -> list[_OrderUnit]:
    tag_of = {node: tag for tag, nodes in members.items() for node in nodes}
    units = [
        _OrderUnit(position, (node,)) for position, node in enumerate(graph.nodes) if node not in tag_of
    ]
    position = {node: index for index, node in enumerate(graph.nodes)}
    units += [_OrderUnit(position[nodes[-1]], nodes, tag) for tag, nodes in members.items() if nodes]
    return sorted(units)


def _link_units(units: list[_OrderUnit]) -> None:
    unit_of = {node: unit for unit in units for node in unit.nodes}
    for unit in units:
        sources = [unit_of[source] for node in unit.nodes for source in node.all_input_nodes]
        distinct = {source.position: source for source in sources if source is not unit}
        unit.waits_for = len(distinct)
        for source in distinct.values():
            source.readers.append(unit)


def _sort_topologically(units: list[_OrderUnit]) -> list[_OrderUnit]:
    """Sort with Kahn's algorithm. Units on a cycle are omitted."""
    ready = [unit for unit in units if unit.waits_for == 0]
    ordered = []
    while ready:
        unit = heapq.heappop(ready)
        ordered.append(unit)
        for reader in unit.readers:
            reader.waits_for -= 1
            if reader.waits_for == 0:
                heapq.heappush(ready, reader)
    return ordered


def _reject_cycle(stuck: list[_OrderUnit]) -> None:
    tags = [unit.tag for unit in stuck if unit.tag is not None]
    first = next(unit for unit in stuck if unit.tag is not None)
    raise UserError(
        f"partition '{tags[0]}' cannot become one delegate call: it depends on its own "
        f"results through nodes outside it (partitions in the cycle: {', '.join(tags)}); tag fewer nodes, or use "
        "exir.backend.capability.propose_partitions",
        first.nodes[0],
    )
