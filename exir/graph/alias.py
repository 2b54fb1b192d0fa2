"""Tracks which values of a graph under construction share memory."""

from dataclasses import dataclass
from typing import Any

from torch._ops import OpOverload
from torch.fx import Node


@dataclass(frozen=True)
class View:
    """A view of `base` by `op(base, *args)`; `op` is None if the call is not recorded."""

    base: Node
    op: OpOverload | None = None
    args: tuple[Any, ...] = ()


class AliasSets:
    """Disjoint sets of nodes whose values share memory in the original program."""

    def __init__(self) -> None:
        self._root: dict[Node, Node] = {}
        self._members: dict[Node, list[Node]] = {}
        self._view: dict[Node, View] = {}

    def join(self, node: Node, view: View) -> None:
        """Record that `node`, which had no aliases so far, is a view."""
        root = self._root.get(view.base, view.base)
        self._root[node] = root
        self._view[node] = view
        self._members.setdefault(root, [root]).append(node)

    def view(self, node: Node) -> View | None:
        """Return the `View` that relates `node` to its base; None if it owns its memory."""
        return self._view.get(node)

    def bases(self, node: Node) -> list[Node]:
        """Return the base of `node`, the base of that base, and so on up to the owner."""
        view = self._view.get(node)
        return [] if view is None else [view.base, *self.bases(view.base)]

    def others(self, node: Node) -> list[Node]:
        """Return every other node that shares the memory of `node`."""
        members = self._members.get(self._root.get(node, node), [])
        return [member for member in members if member is not node]
