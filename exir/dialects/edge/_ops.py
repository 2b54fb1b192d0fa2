"""Edge operators: torch operators marked as belonging to the edge dialect."""

from functools import cache
from typing import Any

from torch._ops import OpOverload, OpOverloadPacket


class EdgeOpOverload:
    """One overload of an edge operator; calls run the torch operator `_op`.

    There is exactly one instance for each torch overload (see `edge_op`), so operators can be
    compared by identity. Other attributes (`_schema`, `namespace`, `tags`, `name()`) are those of
    the torch overload.
    """

    def __init__(self, op: OpOverload) -> None:
        self._op = op
        self.__name__ = f"{op.namespace}.{op.__name__}"
        self.__qualname__ = self.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._op(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_op":
            raise AttributeError(name)
        return getattr(self._op, name)

    def __repr__(self) -> str:
        return f"<EdgeOpOverload: {self.__name__}>: schema = {self._op._schema}"

    def __str__(self) -> str:
        return f"edge.{self.__name__}"

    def __copy__(self) -> "EdgeOpOverload":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "EdgeOpOverload":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        op = self._op
        return _by_name, (op.namespace, op._opname, op._overloadname)


class EdgeOpOverloadPacket:
    """All overloads of one edge operator, such as `ops.edge.aten.add`."""

    def __init__(self, packet: OpOverloadPacket) -> None:
        self._op = packet

    def __getattr__(self, overload: str) -> EdgeOpOverload:
        if overload.startswith("_"):
            raise AttributeError(overload)
        return edge_op(getattr(self._op, overload))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._op(*args, **kwargs)

    def overloads(self) -> list[str]:
        """Return the names of the overloads."""
        return self._op.overloads()

    def __repr__(self) -> str:
        return f"<EdgeOpOverloadPacket: {self._op}>"


@cache
def edge_op(op: OpOverload) -> EdgeOpOverload:
    """Return the edge operator of a torch overload."""
    return EdgeOpOverload(op)


@cache
def edge_packet(packet: OpOverloadPacket) -> EdgeOpOverloadPacket:
    """Return the edge operator packet of a torch packet."""
    return EdgeOpOverloadPacket(packet)


def to_torch_overload(target: Any) -> OpOverload | None:
    """Return the torch overload of a node's target in either dialect, or None."""
    if isinstance(target, EdgeOpOverload):
        return target._op
    return target if isinstance(target, OpOverload) else None


def _by_name(namespace: str, operator: str, overload: str) -> EdgeOpOverload:
    import torch

    return edge_op(getattr(getattr(getattr(torch.ops, namespace), operator), overload))
