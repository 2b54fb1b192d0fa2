"""What each node of a graph has become in the graph that replaces it."""

from typing import Any

from torch.fx import Node
from torch.fx.node import map_arg


class ValueMap:
    """Old node → its value in the new graph as of now: a node, several, or a constant.

    A write to memory changes what an old node stands for from there on (`replace`).
    """

    def __init__(self) -> None:
        self._current: dict[Node, Any] = {}
        self._holders: dict[Node, list[Node]] = {}

    def bind(self, old: Node, new: Any) -> None:
        """Let `old` stand for `new`."""
        self._current[old] = new
        if isinstance(new, Node):
            self._holders.setdefault(new, []).append(old)

    def __getitem__(self, old: Node) -> Any:
        return self._current[old]

    def translated(self, arguments: Any) -> Any:
        """`arguments` with each old node replaced by what it stands for."""
        return map_arg(arguments, self.__getitem__)

    def holders(self, new: Node) -> list[Node]:
        """The old nodes that stand for `new` now."""
        return self._holders.get(new, [])

    def replace(self, new: Node, by: Node) -> None:
        """Let every old node that stands for `new` stand for `by`."""
        for old in self._holders.pop(new, []):
            self.bind(old, by)
