"""Edge operators by name: `ops.edge.<namespace>.<operator>.<overload>`."""

import torch

import exir.dialects.dim_order_ops  # noqa: F401  (its operators resolve below)
from exir.dialects.edge import EdgeOpOverloadPacket, edge_packet


class _EdgeNamespace:
    """The operators of one namespace, such as `ops.edge.aten`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, operator: str) -> EdgeOpOverloadPacket:
        if operator.startswith("__"):
            raise AttributeError(operator)
        return edge_packet(getattr(getattr(torch.ops, self._name), operator))


class _EdgeDialect:
    """The namespaces of the edge dialect."""

    def __getattr__(self, namespace: str) -> _EdgeNamespace:
        if namespace.startswith("__"):
            raise AttributeError(namespace)
        return _EdgeNamespace(namespace)


class _DialectOps:
    edge = _EdgeDialect()


ops = _DialectOps()
