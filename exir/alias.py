"""Which values of a graph under construction are views of the same memory."""

from torch.fx import Node


class AliasSets:
    """Disjoint sets of nodes whose values shared memory in the program as written."""

    def __init__(self) -> None:
        self._root: dict[Node, Node] = {}
        self._members: dict[Node, list[Node]] = {}

    def join(self, view: Node, base: Node) -> None:
        """Record that `view`, a new node, shares the memory of `base`."""
        root = self.root(base)
        self._root[view] = root
        self._members.setdefault(root, [root]).append(view)

    def root(self, node: Node) -> Node:
        """The node that owns the memory of `node`."""
        return self._root.get(node, node)

    def others(self, node: Node) -> list[Node]:
        """Every other node that shares the memory of `node`."""
        members = self._members.get(self.root(node), [])
        return [member for member in members if member is not node]
