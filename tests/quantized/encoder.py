"""A small BERT-like transformer encoder with BERT's weight initialization."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_WORDS, _PLACES, _WIDTH, _HEADS, _LAYERS = 1000, 32, 128, 4, 3


class Attention(nn.Module):
    """Self-attention."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(_WIDTH, _WIDTH) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (self._heads(layer(x)) for layer in (self.query, self.key, self.value))
        seen = nn.functional.scaled_dot_product_attention(query, key, value)
        return self.output(seen.transpose(1, 2).flatten(2))

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (_HEADS, -1)).transpose(1, 2)


class Layer(nn.Module):
    """A residual attention block and a residual feed-forward block."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention()
        self.inner, self.outer = nn.Linear(_WIDTH, 4 * _WIDTH), nn.Linear(4 * _WIDTH, _WIDTH)
        self.first_norm, self.second_norm = nn.LayerNorm(_WIDTH), nn.LayerNorm(_WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first_norm(x + self.attention(x))
        return self.second_norm(x + self.outer(nn.functional.gelu(self.inner(x))))


class Encoder(nn.Module):
    """Maps token ids, int64 [N, T], to float32 [N, T, 128]."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(_WORDS, _WIDTH), nn.Embedding(_PLACES, _WIDTH)
        self.norm = nn.LayerNorm(_WIDTH)
        self.layers = nn.Sequential(*(Layer() for _ in range(_LAYERS)))
        self.apply(_draw)

    def forward(self, words: Tensor) -> Tensor:
        places = torch.arange(words.shape[1])
        return self.layers(self.norm(self.words(words) + self.places(places)))


def _draw(module: nn.Module) -> None:
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)


def model() -> tuple[nn.Module, tuple[Tensor]]:
    """Entry point."""
    return Encoder().eval(), (torch.randint(0, _WORDS, (1, 24)),)
