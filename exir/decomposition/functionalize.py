"""Turns writes to memory into new values.

`relu_(x)` becomes `y = relu(x)`, and every later use of `x` becomes a use of `y`. If `x` is a view of
`b`, the new value of `b` is computed by `slice_scatter` or a similar operator. This is sound if no other
value that is used later shares the memory, which is checked for each write.
"""

from dataclasses import replace

from torch.fx import Graph, Node

from exir.decomposition.view_inverse import is_invertible, written_base
from exir.error import NotLocal
from exir.graph.graph_builder import GraphBuilder
from exir.graph.value_map import ValueMap


class WriteTracker:
    """Tracks the current value of each graph input's memory, and checks writes.

    graph: the original graph, whose node order determines later uses.
    mutations: placeholder of the new graph → the last value written to it.
    """

    def __init__(self, graph: Graph, values: ValueMap, builder: GraphBuilder) -> None:
        self._values = values
        self._builder = builder
        self._aliases = builder.aliases
        self._position = {node: index for index, node in enumerate(graph.nodes)}
        self._input_held: dict[Node, Node] = {}
        self.mutations: dict[Node, Node] = {}

    def add_input(self, placeholder: Node) -> None:
        """Register a placeholder of the new graph: writes to it are visible to the caller."""
        self._input_held[placeholder] = placeholder

    def affected(self, write: Node, target: Node) -> list[Node]:
        """Return `target` and those of its bases whose values `write` changes.

        `write` is a node of the old graph. Raises `NotLocal` if the write is visible through other
        values, or goes through a view without an inverse.
        """
        chain = [target, *self._aliases.bases(target)]
        others = (other for other in self._aliases.others(target) if other not in chain)
        if any(self._used_after(other, write) for other in others):
            raise NotLocal("memory with another live alias is written", write)
        while len(chain) > 1 and not self._needs_write(chain[-1], write):
            chain.pop()
        for node in chain[:-1]:
            view = self._aliases.view(node)
            if view is None or not is_invertible(view):
                raise NotLocal("memory is written through a view without an inverse", write)
        return chain

    def commit(self, affected: list[Node], result: Node) -> None:
        """Replace the first of `affected` with `result`, and update its bases."""
        target, *bases = affected
        if result is target:
            return
        view = self._aliases.view(target)
        self._replace_value(target, result)
        if bases and view is not None:
            base_result = written_base(self._builder, view, result)
            self.commit(bases, base_result)
            self._aliases.join(result, replace(view, base=base_result))

    def _replace_value(self, target: Node, result: Node) -> None:
        self._values.replace(target, result)
        if target in self._input_held:
            placeholder = self._input_held.pop(target)
            self._input_held[result] = placeholder
            self.mutations[placeholder] = result

    def _needs_write(self, base: Node, write: Node) -> bool:
        return base in self._input_held or self._used_after(base, write)

    def _used_after(self, new: Node, write: Node) -> bool:
        users = (user for old in self._values.holders(new) for user in old.users)
        return any(self._position[user] > self._position[write] for user in users)
