"""Two methods, `encode` and `decode`, with tied weights that are stored once."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import MethodSpec, ModelSpec


class Autoencoder(nn.Module):
    """Encodes rows of 16 elements as 4 elements; both methods use the same matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(16, 4) / 4)

    def encode(self, rows: torch.Tensor) -> torch.Tensor:
        """Maps float32 [2, 16] to [2, 4]."""
        return torch.tanh(rows @ self.weight) + self.weight.sum(0)

    def decode(self, codes: torch.Tensor) -> torch.Tensor:
        """Maps float32 [2, 4] to [2, 16]."""
        return (self.weight * codes[:1]).sum(1) + torch.mm(codes, torch.ones(4, 16))


def model() -> ModelSpec:
    """Entry point: exports both methods under their names."""
    return ModelSpec(
        Autoencoder(),
        methods={
            "encode": MethodSpec((torch.randn(2, 16),)),
            "decode": MethodSpec((torch.randn(2, 4),)),
        },
    )
