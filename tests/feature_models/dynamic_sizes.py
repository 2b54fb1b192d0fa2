"""Dynamic, data-dependent and empty sizes."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from exir.model.spec import ModelSpec

_LARGEST_BATCH = 8


class Classifier(nn.Module):
    """Maps float32 [batch, 6] to [batch, 3]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x) + x[:, :3]


def dynamic_batch() -> ModelSpec:
    """Entry point: a batch of 1 to 8; larger batches are rejected."""
    batch = torch.export.Dim("batch", min=1, max=_LARGEST_BATCH)
    return ModelSpec(Classifier(), (torch.randn(4, 6),), dynamic_shapes={"x": {0: batch}})


class FirstRows(nn.Module):
    """Takes n, int64 [] in 1..8, and float32 [8, 3].

    Returns n doubled rows, and the sum of all rows and n ones.
    """

    def forward(self, count: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        n = cast(int, count.item())
        torch._check(n >= 1)
        torch._check(n <= 8)
        return rows[:n] * 2, torch.cat([rows, torch.ones(n, 3)]).sum(0)


def data_dependent_sizes() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: data-dependent sizes within a range that the model declares."""
    return FirstRows(), (torch.tensor(3), torch.randn(8, 3))


class Empty(nn.Module):
    """Takes float32 [0, 2] and float32 [5, 1, 3]."""

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        whole = torch.logical_and(x, x).int() - 3
        return whole, (x * 2).flip(0), (y * 2)[:, 1:].flatten(1, 2), y.sin().mT


def empty_tensors() -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Entry point: in the memory plan, empty tensors do not overlap other tensors."""
    return Empty(), (torch.randn(0, 2), torch.randn(5, 1, 3))
