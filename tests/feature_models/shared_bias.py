"""Two methods whose delegates share a constant in the named data."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import MethodSpec, ModelSpec


class Biased(nn.Module):
    """Both methods add the same eight values."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(8))

    def once(self, x: torch.Tensor) -> torch.Tensor:
        """float32 [8] to [8]."""
        return torch.tanh(x + self.bias)

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        """float32 [8] to [8]."""
        return torch.tanh(x + self.bias) + self.bias


def model() -> ModelSpec:
    """Entry point."""
    inputs = MethodSpec((torch.randn(8),))
    return ModelSpec(Biased(), methods={"once": inputs, "twice": inputs})
