"""Tensors in two planned buffers, for devices with fast and slow memory."""

from __future__ import annotations

import torch
from torch import nn
from torch.fx import GraphModule


class Halves(nn.Module):
    """float32 [4, 32]: a wide residual block."""

    def __init__(self) -> None:
        super().__init__()
        self.widen = nn.Linear(32, 256)
        self.narrow = nn.Linear(256, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.narrow(torch.relu(self.widen(x))) + x


def model() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point."""
    return Halves(), (torch.randn(4, 32),)


def wide_to_second(graph_module: GraphModule) -> None:
    """A pass that requests the second buffer for tensors larger than 1 KB."""
    calls = (node for node in graph_module.graph.nodes if node.op == "call_function")
    for node in calls:
        if node.meta["val"].nbytes > 1024:
            node.meta["mem_id"] = 2
