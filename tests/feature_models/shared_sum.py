"""Two methods, `put` and `take`, that mutate one shared state."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import MethodSpec, ModelSpec


class SharedSum(nn.Module):
    """A sum, float32 [4], that starts as ones."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(4))

    def put(self, x: torch.Tensor) -> torch.Tensor:
        """Add x; return the new sum."""
        self.total.add_(x)
        return self.total * 1

    def take(self, x: torch.Tensor) -> torch.Tensor:
        """Subtract x; return the new sum."""
        self.total.sub_(x)
        return self.total * 1


def model() -> ModelSpec:
    """Entry point: the methods under their own names."""
    inputs = (torch.randn(4),)
    return ModelSpec(SharedSum(), methods={"put": MethodSpec(inputs), "take": MethodSpec(inputs)})
