"""Maps each node of a graph to its value in the graph that replaces it."""

from typing import Any

from torch.fx import Node
from torch.fx.node import map_arg


class ValueMap:
    """Maps old nodes to their current values in the new graph.

    A value is a node, several nodes, or a constant. A write to memory changes the value of old nodes
    (`replace`).
    """

    def __init__(self) -> None:
        self._current: dict[Node, Any] = {}
        self._holders: dict[Node, list[Node]] = {}

    def bind(self, old: Node, new: Any) -> None:
        """Set the value of `old`."""
        self._current[old] = new
        if isinstance(new, Node):
            self._holders.setdefault(new, []).append(old)

    def __getitem__(self, old: Node) -> Any:
        return self._current[old]

    def translated(self, arguments: Any) -> Any:
        """Replace each old node in `arguments` with its value."""
        return map_arg(arguments, self.__getitem__)

    def holders(self, new: Node) -> list[Node]:
        """Return the old nodes whose current value is `new`."""
        return self._holders.get(new, [])

    def replace(self, new: Node, by: Node) -> None:
        """Set the value of every old node with value `new` to `by`."""
        for old in self._holders.pop(new, []):
            self.bind(old, by)
