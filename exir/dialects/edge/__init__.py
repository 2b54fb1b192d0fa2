"""The edge dialect's operators."""

from exir.dialects.edge._ops import (
    EdgeOpOverload,
    EdgeOpOverloadPacket,
    edge_op,
    edge_packet,
    to_torch_overload,
)

__all__ = ["EdgeOpOverload", "EdgeOpOverloadPacket", "edge_op", "edge_packet", "to_torch_overload"]
