"""Writes to memory turned into new values.

`relu_(x)` becomes `y = relu(x)` with every later use of `x` a use of `y`. That is sound when
nothing that is used later shares the memory of `x`, which is checked for each write.
"""

from torch.fx import Graph, Node

from exir.alias import AliasSets
from exir.error import NotLocal
from exir.value_map import ValueMap


class WriteTracker:
    """Follows which value the memory of each graph input holds, and judges writes.

    graph: the original graph, whose node order tells what is used later.
    mutations: placeholder of the new graph → the value last written to it.
    """

    def __init__(self, graph: Graph, values: ValueMap, aliases: AliasSets) -> None:
        self._values = values
        self._aliases = aliases
        self._position = {node: index for index, node in enumerate(graph.nodes)}
        self._input_held: dict[Node, Node] = {}
        self.mutations: dict[Node, Node] = {}

    def add_input(self, placeholder: Node) -> None:
        """Note a placeholder of the new graph: writes to it are seen from outside."""
        self._input_held[placeholder] = placeholder

    def check(self, write: Node, target: Node) -> None:
        """Raise `NotLocal` unless the old node `write` may turn its write to `target` into a new value."""
        for other in self._aliases.others(target):
            if other in self._input_held or self._used_after(other, write):
                raise NotLocal("memory that is seen under another name is written to", write)

    def commit(self, target: Node, result: Node) -> None:
        """From here on, what stood for `target` stands for `result`."""
        if result is target:
            return
        self._values.replace(target, result)
        if target in self._input_held:
            placeholder = self._input_held.pop(target)
            self._input_held[result] = placeholder
            self.mutations[placeholder] = result

    def _used_after(self, new: Node, write: Node) -> bool:
        users = (user for old in self._values.holders(new) for user in old.users)
        return any(self._position[user] > self._position[write] for user in users)
