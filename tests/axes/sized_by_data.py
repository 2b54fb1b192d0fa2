"""Sizes that are read from a tensor, within a range that the model states."""

from __future__ import annotations

from typing import cast

import torch
from torch import nn


class FirstRows(nn.Module):
    """int64 [] n from 1 to 8, float32 [8, 3] to: its first n rows doubled, and the sum of all rows and n ones."""

    def forward(self, count: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        n = cast(int, count.item())
        torch._check(n >= 1)
        torch._check(n <= 8)
        return rows[:n] * 2, torch.cat([rows, torch.ones(n, 3)]).sum(0)


def model() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point."""
    return FirstRows(), (torch.tensor(3), torch.randn(8, 3))
