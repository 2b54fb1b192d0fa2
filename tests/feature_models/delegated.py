"""A graph whose sin, mul, add and mm run on the demo backend, the rest on kernels."""

from __future__ import annotations

import torch
from torch import nn


class Mixed(nn.Module):
    """Two float32 [3, 3] to [3, 3]; the demo backend does not support sub and sigmoid."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        x = torch.sin(a) * b
        y = torch.sigmoid(x) - b
        return torch.mm(y, a) + torch.sin(y)


def model() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point."""
    return Mixed(), (torch.randn(3, 3), torch.randn(3, 3))
