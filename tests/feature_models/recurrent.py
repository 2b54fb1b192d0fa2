"""Recurrent layers over a sequence of dynamic length."""

import torch
from torch import nn
from torch.export import Dim

from exir.model.spec import ModelSpec


class Tagger(nn.Module):
    """Maps float32 [1, length, 8] to scores, float32 [1, length, 3]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LSTM(8, 16, num_layers=2, batch_first=True, bidirectional=True)
        self.scores = nn.Linear(32, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y, _ = self.layers(x)
        return self.scores(y)


def model() -> ModelSpec:
    """Entry point."""
    shapes = {"x": {1: Dim("length", min=1, max=50)}}
    return ModelSpec(Tagger(), (torch.randn(1, 10, 8),), dynamic_shapes=shapes)
