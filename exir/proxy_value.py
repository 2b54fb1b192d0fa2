"""The values that an `ExportPass` computes with."""

import operator
from collections.abc import Iterator
from typing import Any

from torch import SymBool, SymFloat, SymInt, Tensor
from torch.fx import Node


class ExportPassBaseError(RuntimeError):
    """A pass takes a value of a traced program for a number, or loses what is known about its inputs."""


class NodeMetadata:
    """What is known about a node beside its value: source line, debug handle, ….

    source: the node of the original graph that is being interpreted, if any.
    """

    def __init__(self, data: dict[str, Any], source: Node | None = None) -> None:
        self.data = dict(data)
        self.source = source

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.data[key] = value

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def copy(self) -> "NodeMetadata":
        """The same metadata, to be changed on its own."""
        return NodeMetadata(self.data, self.source)


class ProxyValue:
    """A value of the interpretation and the node of the new graph that yields it.

    data: a fake tensor, a number, or several of them.
    """

    def __init__(self, data: Any, node: Node) -> None:
        self.data = data
        self.node = node

    def is_tensor(self) -> bool:
        """Whether the value is one tensor."""
        return isinstance(self.data, Tensor)

    def to_tensor(self) -> Tensor:
        """The value as a tensor; raises TypeError when it is none."""
        if not self.is_tensor():
            kind = type(self.data).__name__
            raise TypeError(f"the value of '{self.node.name}' is {kind}, no tensor")
        return self.data

    def __iter__(self) -> Iterator["ProxyValue"]:
        for index, item in enumerate(self.data):
            with self.node.graph.inserting_after(self.node):
                node = self.node.graph.call_function(operator.getitem, (self.node, index))
            node.meta = {**self.node.meta, "val": item}
            yield ProxyValue(item, node)

    def __bool__(self) -> bool:
        return bool(self._number("used in a boolean context"))

    def __int__(self) -> int:
        return int(self._number("converted to int"))

    def __index__(self) -> int:
        return operator.index(self._number("used in index context"))

    def __float__(self) -> float:
        return float(self._number("converted to float"))

    def _number(self, use: str) -> Any:
        """The value, which would be fixed for good by being `use`d when it is symbolic."""
        if isinstance(self.data, (SymBool, SymInt, SymFloat)):
            raise ExportPassBaseError(
                f"the symbolic value {self.data} of '{self.node.name}' cannot be {use}: it is known only when the"
                " program runs"
            )
        return self.data
