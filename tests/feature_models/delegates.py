"""Graphs that are partly computed by delegates."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import MethodSpec, ModelSpec


class Mixed(nn.Module):
    """Maps two float32 [3, 3] to [3, 3]; the demo backend lacks sub and sigmoid."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        x = torch.sin(a) * b
        y = torch.sigmoid(x) - b
        return torch.mm(y, a) + torch.sin(y)


def mixed() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: sin, mul, add and mm run on the demo backend, the rest on kernels."""
    return Mixed(), (torch.randn(3, 3), torch.randn(3, 3))


class Biased(nn.Module):
    """Both methods add the same eight values."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(8))

    def once(self, x: torch.Tensor) -> torch.Tensor:
        """Maps float32 [8] to [8]."""
        return torch.tanh(x + self.bias)

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        """Maps float32 [8] to [8]."""
        return torch.tanh(x + self.bias) + self.bias


def shared_bias() -> ModelSpec:
    """Entry point: delegates of two methods share a constant in the named data."""
    inputs = MethodSpec((torch.randn(8),))
    return ModelSpec(Biased(), methods={"once": inputs, "twice": inputs})
