"""Tensors without elements, which do not overlap others in the memory plan."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Empty(nn.Module):
    """Inputs float32 [0, 2] and float32 [5, 1, 3]."""

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        whole = torch.logical_and(x, x).int() - 3
        return whole, (x * 2).flip(0), (y * 2)[:, 1:].flatten(1, 2), y.sin().mT


def model() -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Entry point."""
    return Empty(), (torch.randn(0, 2), torch.randn(5, 1, 3))
