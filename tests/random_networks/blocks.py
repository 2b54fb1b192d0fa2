"""Parts of networks that are more than one operator."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    """Self-attention of `heads` over [batch, time, width]; kind: plain, causal, masked, by_hand or grouped (two queries a key)."""

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
            # The first key is everybody's: a row of nothing would be NaN.
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
    """The feed-forward part of a decoder."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(width, inner), nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


class Rotary(nn.Module):
    """Position embedding of pairs of elements."""

    def forward(self, x: Tensor) -> Tensor:
        half = x.shape[-1] // 2
        angles = torch.arange(x.shape[1], dtype=x.dtype)[:, None] / 10.0 ** (torch.arange(half, dtype=x.dtype) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, inner: int) -> None:
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(channels, inner, 1), nn.Conv2d(inner, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * F.hardsigmoid(self.expand(F.relu(self.reduce(F.adaptive_avg_pool2d(x, 1)))))


class InvertedResidual(nn.Module):
    """Expands, filters each channel, projects, and adds where `residual`."""

    def __init__(self, channels: int, factor: int, kernel: int, activation: str, residual: bool) -> None:
        super().__init__()
        inner = channels * factor
        made = getattr(nn, activation)
        self.residual = residual
        self.layers = nn.Sequential(
            nn.Conv2d(channels, inner, 1, bias=False),
            nn.BatchNorm2d(inner),
            made(),
            nn.Conv2d(inner, inner, kernel, 1, kernel // 2, groups=inner, bias=False),
            nn.BatchNorm2d(inner),
            made(),
            nn.Conv2d(inner, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


class First(nn.Module):
    """The first result of a layer that gives several."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        first: Tensor = self.layer(x)[0]
        return first
