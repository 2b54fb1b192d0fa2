"""Layers with a dynamic number of rows, large enough for Strassen's algorithm."""

from __future__ import annotations

import torch
from torch import nn
from torch.export import Dim

from exir.model.spec import ModelSpec


class Network(nn.Module):
    """Rows float32 [n, 192] plus two layers with an activation: [n, 192]."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(192, 224), nn.Linear(224, 192)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows + self.down(torch.nn.functional.gelu(self.up(rows)))


def model() -> ModelSpec:
    """Entry point: up to 80 rows."""
    n = Dim("n", min=1, max=80)
    return ModelSpec(Network(), (torch.randn(67, 192),), dynamic_shapes={"rows": {0: n}})
