"""A small text encoder on the CPU backend: embedding, attention, norm, softmax."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as F

from exir.model.spec import ModelSpec

_TOKENS, _WIDTH, _HEADS = 50, 48, 3


class TextEncoder(nn.Module):
    """Maps token ids [2, n] to token probabilities, with one attention layer."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(_TOKENS, _WIDTH)
        self.first = nn.Parameter(torch.randn(1, 1, _WIDTH))
        self.query, self.key, self.value = (nn.Linear(_WIDTH, _WIDTH) for _ in range(3))
        self.norm = nn.LayerNorm(_WIDTH)
        self.scores = nn.Linear(_WIDTH, _TOKENS)

    def forward(self, tokens: Tensor) -> Tensor:
        x = torch.cat([self.first.expand(2, 1, _WIDTH), self.embedding(tokens)], 1)
        q, k, v = (self._split(part(x)) for part in (self.query, self.key, self.value))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = self.norm(x + F.gelu(mixed.transpose(1, 2).flatten(2)))
        return F.softmax(self.scores(x[:, 1:]), -1)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (_HEADS, -1)).transpose(1, 2)


def model() -> ModelSpec:
    """Entry point: up to 40 tokens."""
    n = Dim("n", min=2, max=40)
    return ModelSpec(TextEncoder(), (torch.randint(0, _TOKENS, (2, 7)),), dynamic_shapes={"tokens": {1: n}})
