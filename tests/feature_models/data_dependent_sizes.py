"""Data-dependent sizes within a range that the model states."""

from __future__ import annotations

from typing import cast

import torch
from torch import nn


class FirstRows(nn.Module):
    """n int64 [] in 1..8 and rows float32 [8, 3] to n doubled rows, and a sum.

    The sum is that of all rows and n ones.
    """

    def forward(self, count: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        n = cast(int, count.item())
        torch._check(n >= 1)
        torch._check(n <= 8)
        return rows[:n] * 2, torch.cat([rows, torch.ones(n, 3)]).sum(0)


def model() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point."""
    return FirstRows(), (torch.tensor(3), torch.randn(8, 3))
