"""Attention over float16 and bfloat16 KV caches, for several tokens or one."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.nn import functional as F

from exir.model.spec import MethodSpec, ModelSpec

_WIDTH, _HEADS, _GROUPS, _SIZE, _CACHE = 32, 4, 2, 8, 24


class _Attention(nn.Module):
    keys: Tensor
    values: Tensor

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.key, self.value = (nn.Linear(_WIDTH, _GROUPS * _SIZE, bias=False) for _ in range(2))
        self.register_buffer("keys", torch.zeros(1, _GROUPS, _CACHE, _SIZE, dtype=dtype))
        self.register_buffer("values", torch.zeros(1, _GROUPS, _CACHE, _SIZE, dtype=dtype))

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        k, v = (part(x).unflatten(-1, (_GROUPS, _SIZE)).transpose(1, 2) for part in (self.key, self.value))
        self.keys.index_copy_(2, positions, k.to(self.keys.dtype))
        self.values.index_copy_(2, positions, v.to(self.values.dtype))
        q = x.unflatten(-1, (_HEADS, _SIZE)).transpose(1, 2)
        seen = torch.arange(_CACHE) <= positions[:, None]
        mixed = F.scaled_dot_product_attention(q, self.keys.float(), self.values.float(), seen, enable_gqa=True)
        return mixed.transpose(1, 2).flatten(2)


class CachedAttention(nn.Module):
    """Maps rows [1, n, 32] and positions [n] to the result of two layers, [1, n, 32]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_Attention(dtype) for dtype in (torch.float16, torch.bfloat16))

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
