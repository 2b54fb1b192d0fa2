"""A Llama-like model with 42 million parameters, without a cache.

It has eight layers of width 512, and processes 128, 32 or 1 tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

_WIDTH, _HIDDEN, _HEAD, _LAYERS, _VOCABULARY = 512, 1376, 64, 8, 32000


def _linear(inputs: int, outputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=False)


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary position embedding, which pairs the first and the second half of a head."""
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1)


class _RmsNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(_WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.second_norm = _RmsNorm(), _RmsNorm()
        self.query, self.key, self.value, self.output = (_linear(_WIDTH, _WIDTH) for _ in range(4))
        self.gate, self.rise, self.fall = _linear(_WIDTH, _HIDDEN), _linear(_WIDTH, _HIDDEN), _linear(_HIDDEN, _WIDTH)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        y = self.norm(x)
        query, key, value = (
            part(y).view(1, x.shape[1], -1, _HEAD).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        query, key = _turned(query, cosine, sine), _turned(key, cosine, sine)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.output(mixed.transpose(1, 2).reshape(x.shape))
        y = self.second_norm(x)
        return x + self.fall(functional.silu(self.gate(y)) * self.rise(y))


class Decoder(nn.Module):
    """Map token ids [1, tokens] to logits [1, tokens, vocabulary].

    The embedding is tied to the last layer.
    """

    def __init__(self, tokens: int) -> None:
        super().__init__()
        self.words, self.norm, self.logits = nn.Embedding(_VOCABULARY, _WIDTH), _RmsNorm(), _linear(_WIDTH, _VOCABULARY)
        self.logits.weight = self.words.weight
        self.layers = nn.ModuleList(_Layer() for _ in range(_LAYERS))
        turns = torch.outer(torch.arange(tokens), 10000.0 ** (-torch.arange(0, _HEAD, 2) / _HEAD))
        self.register_buffer("cosine", turns.cos())
        self.register_buffer("sine", turns.sin())

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens)
        for layer in self.layers:
            x = layer(x, self.cosine, self.sine)
        return self.logits(self.norm(x))


Example = tuple[nn.Module, tuple[Tensor, ...]]


def _of(tokens: int) -> Example:
    return Decoder(tokens).eval(), (torch.randint(0, _VOCABULARY, (1, tokens)),)


def decoder() -> Example:
    return _of(128)


def llama_1() -> Example:
    return _of(1)


def llama_32() -> Example:
    return _of(32)
