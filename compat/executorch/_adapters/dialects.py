"""Operator dialects with the official names: edge operators and backend operators."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch._ops import OpOverload, OpOverloadPacket
from torch.library import Library

from exir import memory
from exir.dialects.edge import EdgeOpOverload, edge_packet

EDGE_MODULE = "executorch.exir.dialects.edge._ops"
BACKEND_MODULE = "executorch.exir.dialects.backend._ops"
_KERNELS = ("CompositeExplicitAutograd", "CompositeImplicitAutograd", "Meta", "CPU")


class BackendOpOverload(EdgeOpOverload):
    """An overload of a backend's custom operator."""

    def __init__(self, op: OpOverload) -> None:
        super().__init__(op)
        self.__module__ = BACKEND_MODULE

    def to_edge(self) -> Any:
        """Return the edge operator of the same overload."""
        return getattr(edge_packet(self._op.overloadpacket), self._op._overloadname)

    def has_kernel(self) -> bool:
        """Return true if the operator has a kernel."""
        return _has_kernel(self._op)


class BackendOpOverloadPacket:
    """All overloads of a backend operator."""

    def __init__(self, packet: OpOverloadPacket) -> None:
        self._op = packet

    def __getattr__(self, overload: str) -> BackendOpOverload:
        if overload.startswith("_"):
            raise AttributeError(overload)
        op = getattr(self._op, overload)
        assert _has_kernel(op), f"{op} has no kernel; bind one with bind_pattern_to_op"
        return backend_op(op)


@cache
def backend_op(op: OpOverload) -> BackendOpOverload:
    """Return the backend operator of a torch overload."""
    return BackendOpOverload(op)


def _has_kernel(op: OpOverload) -> bool:
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), key) for key in _KERNELS)


class _OpNamespace:
    """The operators of one namespace."""

    def __init__(self, name: str, packet: Callable[[OpOverloadPacket], Any]) -> None:
        self._name, self._packet = name, packet

    def __getattr__(self, operator: str) -> Any:
        if operator.startswith("__"):
            raise AttributeError(operator)
        return self._packet(getattr(getattr(torch.ops, self._name), operator))


class _DialectNamespace:
    """The namespaces of one dialect."""

    def __init__(self, packet: Callable[[OpOverloadPacket], Any], excluded: tuple[str, ...] = ()) -> None:
        self._packet, self._excluded = packet, excluded

    def __getattr__(self, namespace: str) -> _OpNamespace:
        if namespace.startswith("__"):
            raise AttributeError(namespace)
        if namespace in self._excluded:
            raise RuntimeError(f"{namespace} op library does not belong to backend ops.")
        return _OpNamespace(namespace, self._packet)


class _Ops:
    """The dialects `ops.edge` and `ops.backend`."""

    edge = _DialectNamespace(edge_packet)
    backend = _DialectNamespace(BackendOpOverloadPacket, ("aten",))


ops = _Ops()


def bind_pattern_to_op(library: Library, schema_or_name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate the implementation of an operator of `library`.

    A schema instead of a name also defines the operator.
    """

    def bind(function: Callable[..., Any]) -> Callable[..., Any]:
        name = schema_or_name.partition("(")[0].rpartition("::")[2]
        if "(" in schema_or_name:
            library.define(
                schema_or_name.rpartition("::")[2] if "::" in schema_or_name.partition("(")[0] else schema_or_name
            )
        library.impl(name, function, "CompositeExplicitAutograd")
        return function

    return bind


def _print_official_names() -> None:
    """Print operators in the code of graphs with the official names."""
    EdgeOpOverload.__module__ = EDGE_MODULE
    for function in (memory.alloc, memory.view):
        function.__module__ = "executorch.exir.memory"


_print_official_names()
