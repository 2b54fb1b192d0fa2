"""The values that an `ExportPass` computes with."""

import operator
from collections.abc import Iterator
from typing import Any

from torch import SymBool, SymFloat, SymInt, Tensor
from torch.fx import Node


class ExportPassBaseError(RuntimeError):
    """A pass uses a traced value as a number, or loses the metadata of inputs."""


class NodeMetadata:
    """The metadata of a node: source line, debug handle and others.

    source: the node of the original graph that is interpreted, if any.
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
        """Return a copy that can be changed independently."""
        return NodeMetadata(self.data, self.source)


class ProxyValue:
    """A value of the interpretation, and its node in the new graph.

    data: a fake tensor, a number, or several of them.
    """

    def __init__(self, data: Any, node: Node) -> None:
        self.data = data
        self.node = node

    def is_tensor(self) -> bool:
        """Return whether the value is one tensor."""
        return isinstance(self.data, Tensor)

    def to_tensor(self) -> Tensor:
        """Return the value as a tensor. Raises `TypeError` for other values."""
        if not self.is_tensor():
            kind = type(self.data).__name__
            raise TypeError(f"the value of '{self.node.name}' is a {kind}, not a tensor; use its `data`")
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
        """Return the value. Raises `ExportPassBaseError` if it is symbolic.

        use: the operation that would specialize the value, for the message.
        """
        if isinstance(self.data, (SymBool, SymInt, SymFloat)):
            raise ExportPassBaseError(
                f"the symbolic value {self.data} of '{self.node.name}' cannot be {use}, because it is "
                "known only at run time; compute with the proxy"
            )
        return self.data
