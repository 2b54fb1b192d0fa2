"""Attention masks from comparisons, selections and integers, on the CPU backend."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as F

from exir.model.spec import ModelSpec

_HEADS, _WIDTH, _WINDOW = 2, 24, 5


class MaskedAttention(nn.Module):
    """Attends from rows [2, n, 24] to the last five, with positions [n] and a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(_WIDTH, _WIDTH) for _ in range(3))

    def forward(self, x: Tensor, positions: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        age = positions[:, None] - positions
        seen = (age >= 0) & (age < _WINDOW) & counts[:, None, None]
        q, k, v = (part(x).unflatten(-1, (_HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = F.scaled_dot_product_attention(q, k, v, seen | torch.eye(x.shape[1], dtype=torch.bool))
        mixed = mixed.transpose(1, 2).flatten(2)
        return torch.where(counts[..., None], mixed, x), x.masked_scatter(counts[..., None], mixed)


def model() -> ModelSpec:
    """Entry point: up to 30 rows."""
    n = Dim("n", min=2, max=30)
    inputs = (torch.randn(2, 7, _WIDTH), torch.arange(7), torch.rand(2, 7) > 0.3)
    shapes = {"x": {1: n}, "positions": {0: n}, "counts": {1: n}}
    return ModelSpec(MaskedAttention(), inputs, dynamic_shapes=shapes)
