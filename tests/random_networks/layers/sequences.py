"""Layers of sequence networks: attention, feed-forward, rotary, recurrent layers."""

from __future__ import annotations

import random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.random_networks.network import Family, Shape, Step, layer, one_of


class Attention(nn.Module):
    """Self-attention with `heads` heads over [batch, time, width].

    kind: plain, causal, masked, by_hand or grouped (two queries per key).
    """

    def __init__(self, width: int, heads: int, kind: str) -> None:
        super().__init__()
        self.heads, self.kind = heads, kind
        self.key_heads = heads // 2 if kind == "grouped" else heads
        self.queries = nn.Linear(width, width)
        self.keys_values = nn.Linear(width, 2 * width * self.key_heads // heads)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape

        def split(y: Tensor, heads: int) -> Tensor:
            return y.reshape(batch, time, heads, width // self.heads).transpose(1, 2)

        q = split(self.queries(x), self.heads)
        k, v = (split(y, self.key_heads) for y in self.keys_values(x).chunk(2, -1))
        y = self._attend(q, k, v, x)
        return x + self.out(y.transpose(1, 2).reshape(batch, time, width))

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, x: Tensor) -> Tensor:
        if self.kind == "by_hand":
            return torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1) @ v
        if self.kind == "masked":
            # All rows see the first key: a fully masked row would be NaN.
            mask = torch.cat([torch.ones_like(x[:, :1, 0]) > 0, x[:, 1:].sum(-1) > 0], 1)[:, None, None, :]
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return F.scaled_dot_product_attention(
            q, k, v, is_causal=self.kind == "causal", enable_gqa=self.kind == "grouped"
        )


class RootMeanSquare(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Gated(nn.Module):
    """The gated feed-forward block of a decoder."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(width, inner), nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


class Rotary(nn.Module):
    """Rotary position embedding."""

    def forward(self, x: Tensor) -> Tensor:
        half = x.shape[-1] // 2
        angles = torch.arange(x.shape[1], dtype=x.dtype)[:, None] / 10.0 ** (torch.arange(half, dtype=x.dtype) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


class First(nn.Module):
    """The first result of a layer with several results."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        first: Tensor = self.layer(x)[0]
        return first


_SEQUENCE = (
    *("{0}[:, -1:] + {0}", "torch.cat([{0}[:, :1], {0}], 1)", "{0} - {0}.mean(1, keepdim=True)", "{0}.flip(1)"),
    *("torch.einsum('btn,bsn->bts', {0}, {0}) @ {0} * 0.01", "torch.bmm({0}, {0}.transpose(1, 2)) @ {0} * 0.01"),
    *(
        "{0}.reshape(-1, {0}.shape[-1]).reshape({0}.shape)",
        "{0}.cumsum(1) * 0.1",
        "{0}.amax(1, keepdim=True).expand_as({0})",
    ),
    *(
        "F.avg_pool1d({0}.transpose(1, 2), 3, 1, 1).transpose(1, 2)",
        "F.glu(torch.cat([{0}, {0}], -1), -1)",
        "{0}[:, ::2]",
    ),
    *("torch.cdist({0}, {0}) * 0.1 @ {0}", "{0}.view({0}.shape[0], {0}.shape[1], 2, -1).flip(2).flatten(2)"),
)


def _sequence_layer(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 3:
        return None
    width = shape[-1]
    heads = rng.choice([count for count in (1, 2, 4) if width % count == 0])
    kind = rng.choice(["plain", "causal", "masked", "by_hand", *(["grouped"] if heads > 1 else [])])
    groups = rng.choice([1, width])
    layers = [
        *[f"sequences.Attention({width}, {heads}, '{kind}')"] * 3,
        f"sequences.Gated({width}, {2 * width})",
        f"sequences.RootMeanSquare({width})",
        f"nn.LayerNorm({width})",
        *(["sequences.Rotary()"] if width % 2 == 0 else []),
        f"nn.Sequential(nn.Linear({width}, {2 * width}), nn.GELU(), nn.Linear({2 * width}, {width}))",
        f"nn.Linear({width}, {width})",
    ]
    if rng.random() < 0.15:
        return Step(
            "{m}({0}.transpose(1, 2)).transpose(1, 2)", f"nn.Conv1d({width}, {width}, 3, padding=1, groups={groups})"
        )
    if rng.random() < 0.05:
        return Step("{m}({0}, {0}, {0})[0]", f"nn.MultiheadAttention({width}, {heads}, batch_first=True)")
    return layer(rng.choice(layers))


def _recurrent(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 3:
        return None
    kind, width = rng.choice(["GRU", "LSTM", "RNN"]), shape[-1]
    both = rng.random() < 0.5
    hidden = rng.choice([3, 8]) if both else width
    return layer(f"sequences.First(nn.{kind}({width}, {hidden}, batch_first=True, bidirectional={both}))")


# For sequences of static length.
RECURRENT: Family = [(1, _recurrent)]

FAMILY: Family = [(5, _sequence_layer), (2, one_of(_SEQUENCE, (3,)))]
