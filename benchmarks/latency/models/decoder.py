"""One decode step of a Llama-like model with 135 million parameters.

It processes one token with a cache of 256 tokens. It has 30 layers of width 576, nine query heads
on three KV heads, and a tied embedding.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

_WIDTH = 576
_HIDDEN = 1536
_HEAD = 64
_HEADS = 9
_KEY_HEADS = 3
_LAYERS = 30
_VOCABULARY = 49152
_CACHE = 256
_INT4 = torch.__dict__["int4"]  # PyTorch's type hints do not include it
_POSITION = 200  # position of the example's token; most of the cache is in use


class _RmsNorm(nn.Module):
    """RMS norm (Zhang and Sennrich, 2019), composed of elementary operators."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(_WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class _Attention(nn.Module):
    """Grouped-query attention.

    Queries that share a KV head are rows of one matrix, so keys are not copied.
    """

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(_WIDTH, _HEADS * _HEAD, bias=False)
        self.key = nn.Linear(_WIDTH, _KEY_HEADS * _HEAD, bias=False)
        self.value = nn.Linear(_WIDTH, _KEY_HEADS * _HEAD, bias=False)
        self.output = nn.Linear(_HEADS * _HEAD, _WIDTH, bias=False)
        self.register_buffer("keys", torch.zeros(1, _KEY_HEADS, _CACHE, _HEAD))
        self.register_buffer("values", torch.zeros(1, _KEY_HEADS, _CACHE, _HEAD))

    def forward(
        self, x: torch.Tensor, position: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor], mask: torch.Tensor
    ) -> torch.Tensor:
        query = _turned(self.query(x).view(1, _KEY_HEADS, _HEADS // _KEY_HEADS, _HEAD), angles)
        self.keys[:, :, position] = _turned(self.key(x).view(1, _KEY_HEADS, 1, _HEAD), angles)
        self.values[:, :, position] = self.value(x).view(1, _KEY_HEADS, 1, _HEAD)
        mixed = functional.scaled_dot_product_attention(query, self.keys, self.values, mask)
        # Make a copy, because the result has other strides in exporters that decompose attention.
        mixed = mixed.clone(memory_format=torch.contiguous_format)
        return self.output(mixed.view(1, 1, _HEADS * _HEAD))


def _turned(x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Rotary position embedding, which pairs the first and the second half of a head."""
    cosine, sine = angles
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1)


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.norm = _RmsNorm(), _RmsNorm()
        self.attention = _Attention()
        self.gate = nn.Linear(_WIDTH, _HIDDEN, bias=False)
        self.rise = nn.Linear(_WIDTH, _HIDDEN, bias=False)
        self.fall = nn.Linear(_HIDDEN, _WIDTH, bias=False)

    def forward(
        self, x: torch.Tensor, position: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor], mask: torch.Tensor
    ) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x), position, angles, mask)
        y = self.norm(x)
        return x + self.fall(functional.silu(self.gate(y)) * self.rise(y))


class Decoder(nn.Module):
    """Map a token id [1, 1] and its position [1] to logits [1, 1, vocabulary].

    Updates the KV cache.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(_VOCABULARY, _WIDTH)
        self.layers = nn.ModuleList(_Layer() for _ in range(_LAYERS))
        self.norm = _RmsNorm()
        self.logits = nn.Linear(_WIDTH, _VOCABULARY, bias=False)
        nn.init.normal_(self.words.weight, 0.0, 0.05)
        self.logits.weight = self.words.weight
        turns = torch.outer(torch.arange(_CACHE), 10000.0 ** (-torch.arange(0, _HEAD, 2) / _HEAD))
        self.register_buffer("cosines", turns.cos())
        self.register_buffer("sines", turns.sin())
        self.register_buffer("places", torch.arange(_CACHE))

    def forward(self, token: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        angles = (self.cosines[position], self.sines[position])
        mask = (self.places <= position).view(1, 1, 1, _CACHE)
        x = self.words(token)
        for layer in self.layers:
            x = layer(x, position, angles, mask)
        return self.logits(self.norm(x))


def decoder() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return Decoder().eval(), (torch.tensor([[17]]), torch.tensor([_POSITION]))


def decoder_4bit() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Return the same model with int4 weights and a 16-bit scale per group of 32."""
    # torchao registers its own tensor classes, which the float model does not need.
    from torchao.quantization import IntxWeightOnlyConfig, quantize_
    from torchao.quantization.granularity import PerGroup

    module, inputs = decoder()
    config = IntxWeightOnlyConfig(weight_dtype=_INT4, granularity=PerGroup(32), scale_dtype=torch.bfloat16)
    quantize_(module, config, lambda each, _: isinstance(each, (nn.Linear, nn.Embedding)))
    return module, inputs
