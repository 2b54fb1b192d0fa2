"""Layers that share a weight: with a norm for each level, tied, or transposed."""

from __future__ import annotations

import random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.random_networks.network import Family, Shape, Step, divisor, layer

_NORMS = ("batch", "group", "layer", "instance", "mixed")


def _norm_2d(kind: str, channels: int, groups: int, level: int) -> nn.Module:
    made = {
        "batch": lambda: nn.BatchNorm2d(channels),
        "group": lambda: nn.GroupNorm(groups, channels),
        "layer": lambda: nn.GroupNorm(1, channels),
        "instance": lambda: nn.InstanceNorm2d(channels, affine=True),
        "mixed": lambda: nn.BatchNorm2d(channels) if level % 2 else nn.GroupNorm(groups, channels),
    }
    return made[kind]()


def _norm_1d(kind: str, width: int, groups: int, level: int) -> nn.Module:
    made = {
        "batch": lambda: nn.BatchNorm1d(width),
        "group": lambda: nn.GroupNorm(groups, width),
        "layer": lambda: nn.LayerNorm(width),
        "instance": lambda: nn.LayerNorm(width, elementwise_affine=False),
        "mixed": lambda: nn.BatchNorm1d(width) if level % 2 else nn.LayerNorm(width),
    }
    return made[kind]()


class SharedConvolution(nn.Module):
    """One convolution for all levels of a pyramid, with a norm for each level.

    The levels are summed.
    """

    def __init__(self, channels: int, levels: int, norm: str, groups: int, depthwise: bool, bias: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, groups=channels if depthwise else 1, bias=bias)
        self.norms = nn.ModuleList(_norm_2d(norm, channels, groups, level) for level in range(levels))

    def forward(self, x: Tensor) -> Tensor:
        total = torch.zeros_like(x)
        for level, norm in enumerate(self.norms):
            pooled = F.avg_pool2d(x, 2**level, ceil_mode=True) if level else x
            y = F.relu(norm(self.conv(pooled)))
            total = total + (F.interpolate(y, size=x.shape[2:]) if level else y)
        return total


class RepeatedConvolution(nn.Module):
    """One convolution, applied repeatedly, with a norm after each application.

    The last application may have no norm.
    """

    def __init__(self, channels: int, times: int, norm: str, groups: int, plain_at_end: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 1, bias=False)
        self.norms = nn.ModuleList(_norm_2d(norm, channels, groups, level) for level in range(times))
        self.plain_at_end = plain_at_end

    def forward(self, x: Tensor) -> Tensor:
        for norm in self.norms:
            x = norm(self.conv(x))
        return self.conv(x) if self.plain_at_end else x


class ConvolutionAndTransposed(nn.Module):
    """A convolution and a transposed one share a weight; `norm` scales the first."""

    def __init__(self, channels: int, inner: int, norm: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, inner, 3, padding=1)
        self.norm = nn.BatchNorm2d(inner) if norm else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return F.conv_transpose2d(F.relu(self.norm(self.conv(x))), self.conv.weight, padding=1)


class SharedNorm(nn.Module):
    """Two convolutions that share a norm: it must not be folded into either one."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)
        return self.norm(first) + self.norm(self.second(x)) * torch.sigmoid(first)


class SharedLinear(nn.Module):
    """One linear layer, applied repeatedly or to several inputs, with a norm per use."""

    def __init__(self, width: int, levels: int, norm: str, groups: int, chained: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.norms = nn.ModuleList(_norm_1d(norm, width, groups, level) for level in range(levels))
        self.chained = chained

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        total = rows
        for level, norm in enumerate(self.norms):
            given = total if self.chained else rows * (0.5 + level)
            total = total + torch.tanh(norm(self.linear(given)))
        return total.reshape(x.shape)


class Tied(nn.Module):
    """Encodes with W and decodes with its transpose; `kind` selects the second use."""

    def __init__(self, width: int, inner: int, kind: str) -> None:
        super().__init__()
        self.encode = nn.Linear(width, inner)
        self.kind = kind
        self.decode = nn.Linear(inner, width)
        if kind == "parameter":
            self.decode = nn.Linear(width, inner)
            self.decode.weight = self.encode.weight

    def forward(self, x: Tensor) -> Tensor:
        y = F.silu(self.encode(x))
        weight = self.encode.weight
        if self.kind == "parameter":
            return y * torch.sigmoid(self.decode(x))
        if self.kind == "linear":
            return F.linear(y, weight.t())
        if self.kind == "matmul":
            return y @ weight
        if self.kind == "both":
            return F.linear(F.linear(y, weight.t()), weight) @ weight
        return self.decode(y) + (weight * 0.1).mean(0) + weight[0]


class SlicedWeight(nn.Module):
    """Layers that use rows, columns or all of one weight."""

    def __init__(self, width: int, whole: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3 * width, width) * width**-0.5)
        self.bias = nn.Parameter(torch.randn(3 * width) * 0.1)
        self.whole = whole

    def forward(self, x: Tensor) -> Tensor:
        width = x.shape[-1]
        q, k, v = (F.linear(x, w, b) for w, b in zip(self.weight.chunk(3), self.bias.split(width), strict=True))
        y = torch.tanh(q * k) + v
        return F.linear(y, self.weight, self.bias)[..., ::3] if self.whole else y


def _shared_convolution(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 4 or shape[1] == 0:
        return None
    channels, groups, norm = shape[1], divisor(rng, shape[1]), rng.choice(_NORMS)
    levels, flag = rng.randint(2, 3), rng.random() < 0.5
    layers = [
        f"sharing.SharedConvolution({channels}, {levels}, '{norm}', {groups}, {flag}, {rng.random() < 0.5})",
        f"sharing.RepeatedConvolution({channels}, {levels}, '{norm}', {groups}, {flag})",
        f"sharing.ConvolutionAndTransposed({channels}, {rng.choice([2, 5, 8])}, {flag})",
        f"sharing.SharedNorm({channels})",
    ]
    return layer(rng.choice(layers))


def _shared_linear(rng: random.Random, shape: Shape) -> Step | None:
    if not 2 <= len(shape) <= 3 or shape[-1] == 0:
        return None
    width, groups, norm = shape[-1], divisor(rng, shape[-1]), rng.choice(_NORMS)
    kind = rng.choice(["parameter", "linear", "matmul", "both", "other"])
    layers = [
        f"sharing.SharedLinear({width}, {rng.randint(2, 3)}, '{norm}', {groups}, {rng.random() < 0.5})",
        f"sharing.Tied({width}, {rng.choice([3, 8, 16, width])}, '{kind}')",
        f"sharing.SlicedWeight({width}, {rng.random() < 0.5})",
    ]
    return layer(rng.choice(layers))


FAMILY: Family = [(1.5, _shared_convolution), (1.5, _shared_linear)]
