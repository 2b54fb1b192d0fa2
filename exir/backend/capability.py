"""Partitions by capability: the largest groups of supported nodes.

A group can become one delegate call only if the graph stays acyclic: no path may leave the group
and return. Groups grow in one walk over the nodes. For each node, the set of groups that reach it
is stored, so the cost of the check depends on the number of groups, not nodes.
"""

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from torch.fx import Graph, Node


@dataclass
class _NodeGroup:
    """The nodes of one group, and the groups that they read.

    direct: groups that the nodes read directly.
    indirect: groups that they read through nodes that are in no group.
    """

    nodes: list[Node]
    direct: set[int] = field(default_factory=set)
    indirect: set[int] = field(default_factory=set)


class _GroupMerger:
    """Groups under construction. A merged group keeps the smaller id."""

    def __init__(self, max_nodes: int | None) -> None:
        self.groups: dict[int, _NodeGroup] = {}
        self._group_of: dict[Node, int] = {}
        self._reached_from: dict[Node, set[int]] = {}
        self._max_nodes = max_nodes
        self._next_id = 0

    def leave_out(self, node: Node) -> None:
        """Record the groups that reach `node`, which is in no group."""
        self._reached_from[node] = set().union(
            *(self._source_groups(producer) for producer in node.all_input_nodes)
        )

    def add(self, node: Node) -> None:
        """Add `node` to a group, merged with as many of its producers as possible."""
        index = self._new_group(node)
        for producer in node.all_input_nodes:
            other = self._group_of.get(producer)
            if other is not None and other != index and self._may_merge(index, other):
                index = self._merge_groups(index, other)

    def follow(self, node: Node, producer: Node) -> None:
        """Add `node`, which only unpacks `producer`, to the producer's group."""
        index = self._group_of[producer]
        self.groups[index].nodes.append(node)
        self._group_of[node] = index

    def _new_group(self, node: Node) -> int:
        index, self._next_id = self._next_id, self._next_id + 1
        group = _NodeGroup([node])
        for producer in node.all_input_nodes:
            grouped = producer in self._group_of
            (group.direct if grouped else group.indirect).update(self._source_groups(producer))
        self.groups[index] = group
        self._group_of[node] = index
        return index

    def _source_groups(self, producer: Node) -> set[int]:
        if producer in self._group_of:
            return {self._group_of[producer]}
        return self._reached_from.get(producer, set())

    def _may_merge(self, first: int, second: int) -> bool:
        a, b = self.groups[first], self.groups[second]
        if self._max_nodes is not None and len(a.nodes) + len(b.nodes) > self._max_nodes:
            return False
        return not self._path_outside(first, second) and not self._path_outside(second, first)

    def _path_outside(self, start: int, end: int) -> bool:
        """Return whether a path from `start` to `end` leaves both groups."""
        group = self.groups[end]
        return start in group.indirect or start in self._group_ancestors(
            (group.direct | group.indirect) - {start}
        )

    def _group_ancestors(self, starts: Iterable[int]) -> set[int]:
        seen: set[int] = set()
        waiting = list(starts)
        while waiting:
            group = self.groups[waiting.pop()]
            new = (group.direct | group.indirect) - seen
            seen |= new
            waiting.extend(new)
        return seen

    def _merge_groups(self, first: int, second: int) -> int:
        merged, gone = min(first, second), max(first, second)
        group, old = self.groups[merged], self.groups.pop(gone)
        group.nodes += old.nodes
        group.direct = (group.direct | old.direct) - {merged, gone}
        group.indirect = (group.indirect | old.indirect) - {merged, gone}
        self._group_of.update(dict.fromkeys(old.nodes, merged))
        if gone != self._next_id - 1:  # no group depends on the newest group yet
            self._replace_group(gone, merged)
        return merged

    def _replace_group(self, gone: int, merged: int) -> None:
        sets = [ids for group in self.groups.values() for ids in (group.direct, group.indirect)]
        for ids in [*sets, *self._reached_from.values()]:
            if gone in ids:
                ids.discard(gone)
                ids.add(merged)


def propose_partitions(
    graph: Graph, is_supported: Callable[[Node], bool], max_nodes: int | None = None
) -> list[list[Node]]:
    """Group the call_function nodes of `graph` that `is_supported` accepts.

    Each group is connected, has at most `max_nodes` calls, and lists its nodes in graph order.
    Replacing all groups with calls does not create a cycle. A `getitem` belongs to the group of the
    node that it unpacks. Groups are in the order of their first node.
    """
    grouping = _GroupMerger(max_nodes)
    supported: set[Node] = set()
    for node in graph.nodes:
        if _unpacks_supported_node(node, supported):
            supported.add(node)
            grouping.follow(node, node.all_input_nodes[0])
        elif node.op == "call_function" and node.target is not operator.getitem and is_supported(node):
            supported.add(node)
            grouping.add(node)
        else:
            grouping.leave_out(node)
    position = {node: index for index, node in enumerate(graph.nodes)}
    partitions = [sorted(group.nodes, key=position.__getitem__) for group in grouping.groups.values()]
    return sorted(partitions, key=lambda nodes: position[nodes[0]])


def _unpacks_supported_node(node: Node, supported: set[Node]) -> bool:
    return node.op == "call_function" and node.target is operator.getitem and node.args[0] in supported
