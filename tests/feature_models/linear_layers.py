"""Linear layers with many rows, and with weights tied to an embedding."""

from __future__ import annotations

import torch
from torch import nn
from torch.export import Dim

from exir.model.spec import ModelSpec


class ManyRows(nn.Module):
    """Adds two layers with an activation to rows, float32 [n, 192]."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(192, 224), nn.Linear(224, 192)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows + self.down(torch.nn.functional.gelu(self.up(rows)))


def strassen() -> ModelSpec:
    """Entry point: up to 80 rows, large enough for Strassen's algorithm."""
    n = Dim("n", min=1, max=80)
    return ModelSpec(ManyRows(), (torch.randn(67, 192),), dynamic_shapes={"rows": {0: n}})


class TiedEmbedding(nn.Module):
    """Maps tokens, int64 [2, 5], to logits, float32 [2, 5, 300]."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(300, 24)
        self.mix = nn.Linear(24, 24)
        self.head = nn.Linear(24, 300)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(torch.relu(self.mix(self.embedding(tokens))))


def tied_embedding() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: the matrix of the embedding and the output layer is stored once."""
    return TiedEmbedding(), (torch.randint(0, 300, (2, 5)),)
