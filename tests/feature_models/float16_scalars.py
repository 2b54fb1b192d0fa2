"""float16 and bfloat16 multiplied and divided by scalars outside their range."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import ModelSpec


class Scaled(nn.Module):
    """Converts a 0/1 mask to scores, and divides large elements."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(1e-8))

    def forward(self, mask: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        scores = (1 - mask) * -1e9
        return scores, x / 100000, x * 1e-8, x * self.factor, x.bfloat16() * 0.3


def model() -> ModelSpec:
    """Entry point."""
    mask = torch.tensor([1.0, 0.0, 1.0, 1.0]).half()
    return ModelSpec(Scaled(), (mask, torch.tensor([60000.0, -60000.0, 0.5, 7.0]).half()))
