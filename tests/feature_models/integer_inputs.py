"""Integer inputs as a factor, a slice start and a slice length."""

from __future__ import annotations

import torch
from torch import nn
from torch.export import Dim

from exir.model.spec import ModelSpec


class Window(nn.Module):
    """Returns rows [start, start + count) of a linear layer, times `scale`.

    The input is float32 [n, 3].
    """

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x: torch.Tensor, start: int, count: int, scale: int) -> torch.Tensor:
        return self.layer(x)[start : start + count] * scale + torch.arange(count)[:, None]


def model() -> ModelSpec:
    """Entry point."""
    shapes = {
        "x": {0: Dim("n", min=6, max=8)},
        "start": Dim.DYNAMIC(min=0, max=3),
        "count": Dim.DYNAMIC(min=1, max=3),
        "scale": Dim.DYNAMIC,
    }
    return ModelSpec(Window(), (torch.randn(7, 3), 1, 2, 5), dynamic_shapes=shapes)
