"""A text decoder with a KV cache: processes a prompt at once, then single tokens."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as F

from exir.model.spec import MethodSpec, ModelSpec

_TOKENS, _WIDTH, _HEADS, _GROUPS, _SIZE, _CACHE = 50, 32, 4, 2, 8, 24


class _Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(_WIDTH) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


def _rotated(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1)


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.norm = _Norm(), _Norm()
        self.query, self.output = nn.Linear(_WIDTH, _WIDTH, bias=False), nn.Linear(_WIDTH, _WIDTH, bias=False)
        self.key, self.value = (nn.Linear(_WIDTH, _GROUPS * _SIZE, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(_WIDTH, 48, bias=False) for _ in range(2))
        self.down = nn.Linear(48, _WIDTH, bias=False)
        self.register_buffer("keys", torch.zeros(1, _GROUPS, _CACHE, _SIZE))
        self.register_buffer("values", torch.zeros(1, _GROUPS, _CACHE, _SIZE))

    def forward(self, x: Tensor, positions: Tensor, angles: tuple[Tensor, Tensor], seen: Tensor) -> Tensor:
        y = self.attention_norm(x)
        q, k, v = (part(y).unflatten(-1, (-1, _SIZE)).transpose(1, 2) for part in (self.query, self.key, self.value))
        self.keys.index_copy_(2, positions, _rotated(k, *angles))
        self.values.index_copy_(2, positions, v)
        mixed = F.scaled_dot_product_attention(_rotated(q, *angles), self.keys, self.values, seen, enable_gqa=True)
        x = x + self.output(mixed.transpose(1, 2).flatten(2))
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """Maps tokens [1, n] and positions [n] to logits, with a cache.

    `prefill` and `decode` share the cache.
    """

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(_TOKENS, _WIDTH)
        self.layers = nn.ModuleList(_Layer() for _ in range(2))
        self.norm = _Norm()
        self.scores = nn.Linear(_WIDTH, _TOKENS, bias=False)
        self.scores.weight = self.embedding.weight
        angles = torch.outer(torch.arange(_CACHE), 100.0 ** (-torch.arange(0, _SIZE, 2) / _SIZE))
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def prefill(self, tokens: Tensor, positions: Tensor) -> Tensor:
        angles = self.cosines[positions], self.sines[positions]
        seen = torch.arange(_CACHE) <= positions[:, None]
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, positions, angles, seen)
        return self.scores(self.norm(x))

    decode = prefill


def model() -> ModelSpec:
    """Entry point: one method for up to 24 tokens, and one for a single token."""
    n = Dim("n", min=2, max=_CACHE)
    many = (torch.randint(0, _TOKENS, (1, 5)), torch.arange(5))
    one = (torch.tensor([[3]]), torch.tensor([5]))
    shapes = {"tokens": {1: n}, "positions": {0: n}}
    methods = {"prefill": MethodSpec(many, dynamic_shapes=shapes), "decode": MethodSpec(one)}
    return ModelSpec(Decoder(), methods=methods)
