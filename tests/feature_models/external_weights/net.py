"""A network with external weights, compiled for one row and for four rows.

Both programs use the same weights file.
"""

from __future__ import annotations

import torch
from torch import nn


class Net(nn.Module):
    """Maps float32 [n, 8] to [n, 4]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def one_row() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point."""
    return Net(), (torch.randn(1, 8),)


def four_rows() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: the same weights, because the seed is fixed."""
    return Net(), (torch.randn(4, 8),)


def other_weights() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: `one_row` with another seed."""
    torch.manual_seed(5)
    return Net(), (torch.randn(1, 8),)
