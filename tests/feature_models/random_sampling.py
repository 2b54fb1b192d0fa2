"""Random sampling with dropout: the example of docs/how_to/random_numbers.md."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Sampler(nn.Module):
    """Maps scores [4, 10] to two samples per row, a permutation of rows, and noise."""

    def forward(self, scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        kept = F.dropout(scores, 0.1, training=True)
        tokens = torch.multinomial(torch.softmax(kept, -1), 2, replacement=True)
        return tokens, torch.randperm(4), torch.randn(4) + torch.bernoulli(torch.full((4,), 0.5))


def model() -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Entry point."""
    return Sampler(), (torch.randn(4, 10),)
