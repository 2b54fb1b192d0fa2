"""Attention over int8 KV caches, with and without a sliding window."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as F

from exir.model.spec import MethodSpec, ModelSpec
from llm.decoder.kv_cache import KvCache

_WIDTH, _HEADS, _GROUPS, _SIZE, _CACHE = 32, 4, 2, 8, 24


class _Attention(nn.Module):
    """Attention of each token to at most `window` tokens."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self.window = window
        self.key, self.value = (nn.Linear(_WIDTH, _GROUPS * _SIZE, bias=False) for _ in range(2))
        self.keys, self.values = (KvCache("int8", _GROUPS, _CACHE, _SIZE) for _ in range(2))

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        for cache, layer in ((self.keys, self.key), (self.values, self.value)):
            cache.update(positions, layer(x).unflatten(-1, (_GROUPS, _SIZE)).transpose(1, 2))
        q = x.unflatten(-1, (_HEADS, _SIZE)).transpose(1, 2)
        ends, cached = positions[:, None], torch.arange(_CACHE)
        seen = (cached <= ends) & (cached > ends - self.window)
        mixed = F.scaled_dot_product_attention(q, self.keys.read(), self.values.read(), seen, enable_gqa=True)
        return mixed.transpose(1, 2).flatten(2)


class CachedAttention(nn.Module):
    """Maps rows [1, n, 32] and positions [n] to the result of two layers, [1, n, 32]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(map(_Attention, (_CACHE, 4)))

    def many(self, x: Tensor, positions: Tensor) -> Tensor:
        for layer in self.layers:
            x = x + layer(x, positions)
        return x

    one = many


def model() -> ModelSpec:
    """Entry point: a method for up to 24 rows and one for a single row share caches."""
    n = Dim("n", min=2, max=_CACHE)
    methods = {
        "many": MethodSpec(
            (torch.randn(1, 5, _WIDTH), torch.arange(5)), dynamic_shapes={"x": {1: n}, "positions": {0: n}}
        ),
        "one": MethodSpec((torch.randn(1, 1, _WIDTH), torch.tensor([5]))),
    }
    return ModelSpec(CachedAttention(), methods=methods)
