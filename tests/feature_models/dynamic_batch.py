"""A dynamic batch of 1 to 8: larger batches are rejected."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import ModelSpec

LARGEST_BATCH = 8


class Classifier(nn.Module):
    """float32 [batch, 6] to [batch, 3]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x) + x[:, :3]


def model() -> ModelSpec:
    """Entry point."""
    batch = torch.export.Dim("batch", min=1, max=LARGEST_BATCH)
    return ModelSpec(Classifier(), (torch.randn(4, 6),), dynamic_shapes={"x": {0: batch}})
