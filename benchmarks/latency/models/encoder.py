"""Text encoders for 128 tokens: BERT-base and a six-layer MiniLM.

See Devlin et al. (2018) and Wang et al. (2020).
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

_VOCABULARY = 30522
_POSITIONS = 512
_TOKENS = 128


class _Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (self._split(part(x)) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(query, key, value)
        return self.output(mixed.transpose(1, 2).reshape(x.shape))

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        """Reshape [1, tokens, width] to [1, heads, tokens, head width]."""
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)


class _Layer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.attention = _Attention(width, heads)
        self.attention_norm = nn.LayerNorm(width, 1e-12)
        self.rise, self.fall = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm = nn.LayerNorm(width, 1e-12)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.attention_norm(x + self.attention(x))
        return self.norm(x + self.fall(functional.gelu(self.rise(x))))


class Encoder(nn.Module):
    """Map token ids [1, tokens] to hidden states [1, tokens, width]."""

    def __init__(self, width: int, heads: int, layers: int):
        super().__init__()
        self.words = nn.Embedding(_VOCABULARY, width)
        self.positions = nn.Embedding(_POSITIONS, width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(_Layer(width, heads) for _ in range(layers))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.positions.weight[: tokens.shape[1]] + self.kinds.weight[0]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x)
        return x


def _tokens() -> torch.Tensor:
    return torch.randint(0, _VOCABULARY, (1, _TOKENS))


def minilm() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return Encoder(384, 12, 6).eval(), (_tokens(),)


def bert_base() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return Encoder(768, 12, 12).eval(), (_tokens(),)
