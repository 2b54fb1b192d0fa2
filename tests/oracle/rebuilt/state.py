"""Mutable buffers: a counter with initial states, and a decoder with a KV cache."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from exir import ExecutorchBackendConfig
from exir.passes import InitializedMutableBufferPass
from tests.oracle.rebuilt.rebuilt import Make, Rebuilt, rebuild

_VOCABULARY, _WIDTH, _LAYERS, _HEADS, _KEY_HEADS, _LENGTH, _HIDDEN = 128, 64, 2, 4, 2, 32, 128
_HEAD = _WIDTH // _HEADS


class _Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("n", torch.zeros(1))
        self.register_buffer("acc", torch.full((2, 2), 3.0))

    def forward(self, x: Tensor) -> Tensor:
        self.n.add_(1)
        self.acc.mul_(0.5).add_(x)
        return self.acc * self.n


class _RmsNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(_WIDTH) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def _linear(inputs: int, outputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=False)


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat([-second, first], -1) * sine


class _Layer(nn.Module):
    """Attention with a KV cache, and a gated feed-forward block."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.second_norm = _RmsNorm(), _RmsNorm()
        self.query, self.output = _linear(_WIDTH, _WIDTH), _linear(_WIDTH, _WIDTH)
        self.key, self.value = _linear(_WIDTH, _KEY_HEADS * _HEAD), _linear(_WIDTH, _KEY_HEADS * _HEAD)
        self.gate, self.rise, self.fall = _linear(_WIDTH, _HIDDEN), _linear(_WIDTH, _HIDDEN), _linear(_HIDDEN, _WIDTH)
        self.register_buffer("keys", torch.zeros(1, _KEY_HEADS, _LENGTH, _HEAD))
        self.register_buffer("values", torch.zeros(1, _KEY_HEADS, _LENGTH, _HEAD))

    def forward(self, x: Tensor, place: Tensor, cosine: Tensor, sine: Tensor, mask: Tensor) -> Tensor:
        x = x + self._attend(self.norm(x), place, cosine, sine, mask)
        y = self.second_norm(x)
        return x + self.fall(nn.functional.silu(self.gate(y)) * self.rise(y))

    def _attend(self, x: Tensor, place: Tensor, cosine: Tensor, sine: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (_heads(part(x)) for part in (self.query, self.key, self.value))
        self.keys[:, :, place] = _turned(key, cosine, sine)
        self.values[:, :, place] = value
        keys, values = (cache.repeat_interleave(_HEADS // _KEY_HEADS, 1) for cache in (self.keys, self.values))
        mixed = nn.functional.scaled_dot_product_attention(_turned(query, cosine, sine), keys, values, attn_mask=mask)
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


def _heads(x: Tensor) -> Tensor:
    return x.view(1, x.shape[1], -1, _HEAD).transpose(1, 2)


class _Decoder(nn.Module):
    """Maps a token and its position to the next token's logits."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.logits, self.norm = nn.Embedding(_VOCABULARY, _WIDTH), _linear(_WIDTH, _VOCABULARY), _RmsNorm()
        self.layers = nn.ModuleList(_Layer() for _ in range(_LAYERS))
        turns = torch.outer(torch.arange(_LENGTH).float(), 10000 ** (-torch.arange(0, _HEAD, 2).float() / _HEAD))
        turns = torch.cat([turns, turns], -1)
        self.register_buffer("cosine", turns.cos())
        self.register_buffer("sine", turns.sin())
        self.register_buffer("mask", torch.tril(torch.ones(_LENGTH, _LENGTH, dtype=torch.bool)))

    def forward(self, token: Tensor, place: Tensor) -> Tensor:
        x = self.words(token)
        for layer in self.layers:
            x = layer(x, place, self.cosine[place], self.sine[place], self.mask[place][None, None])
        return self.logits(self.norm(x))


def _counter() -> Rebuilt:
    config = ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["n", "acc"])])
    return rebuild(_Counter(), (torch.ones(2, 2),), config=config)


def _decoder() -> Rebuilt:
    return rebuild(_Decoder(), (torch.tensor([[5]]), torch.tensor([0])))


PROGRAMS: dict[str, Make] = {
    "counter_mutable_init": _counter,
    "tiny_llama_kv_portable": _decoder,
    "tiny_llama_kv_xnn": _decoder,
}
