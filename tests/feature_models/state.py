"""Buffers that keep their values between calls, in one method or shared by two."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import MethodSpec, ModelSpec


class RunningSum(nn.Module):
    """Adds each float32 [4] input to a running sum; returns twice the sum."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total.add_(x)
        return self.total * 2


def running_sum() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point."""
    return RunningSum(), (torch.randn(4),)


class SharedSum(nn.Module):
    """A running sum, float32 [4], initialized with ones."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(4))

    def put(self, x: torch.Tensor) -> torch.Tensor:
        """Add x; return the new sum."""
        self.total.add_(x)
        return self.total * 1

    def take(self, x: torch.Tensor) -> torch.Tensor:
        """Subtract x; return the new sum."""
        self.total.sub_(x)
        return self.total * 1


def shared_sum() -> ModelSpec:
    """Entry point: the methods `put` and `take` update the same state."""
    inputs = (torch.randn(4),)
    return ModelSpec(SharedSum(), methods={"put": MethodSpec(inputs), "take": MethodSpec(inputs)})
