"""Blocks of the vision models."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

Activation = Callable[[], nn.Module]


def conv_norm(
    inputs: int, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1, activation: Activation = nn.Identity
) -> nn.Sequential:
    """Convolution without bias and with same padding, batch norm, and activation."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        activation(),
    )


class SqueezeExcitation(nn.Module):
    """Squeeze-and-excite: a small network computes channel scales from channel means."""

    def __init__(self, channels: int, squeezed: int):
        super().__init__()
        self.reduce = nn.Conv2d(channels, squeezed, 1)
        self.expand = nn.Conv2d(squeezed, channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        means = nn.functional.adaptive_avg_pool2d(x, 1)
        return x * nn.functional.hardsigmoid(self.expand(torch.relu(self.reduce(means))))


class InvertedResidual(nn.Module):
    """Inverted residual: 1x1 expansion, depthwise filter, 1x1 projection.

    The input is added if the shapes agree.
    """

    def __init__(
        self,
        inputs: int,
        hidden: int,
        outputs: int,
        kernel: int,
        stride: int,
        activation: Activation,
        squeezed: int = 0,
    ):
        super().__init__()
        expand = [conv_norm(inputs, hidden, activation=activation)] if hidden != inputs else []
        self.layers = nn.Sequential(
            *expand,
            conv_norm(hidden, hidden, kernel, stride, groups=hidden, activation=activation),
            SqueezeExcitation(hidden, squeezed) if squeezed else nn.Identity(),
            conv_norm(hidden, outputs),
        )
        self.has_residual = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.has_residual else self.layers(x)


class Classifier(nn.Module):
    """Features, global average pool, then a head.

    Weights have He initialization with fan-in (He et al., 2015).
    """

    def __init__(self, features: nn.Module, head: nn.Module):
        super().__init__()
        self.features = features
        self.head = head
        self.apply(_initialise)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(torch.flatten(nn.functional.adaptive_avg_pool2d(self.features(x), 1), 1))


def _initialise(module: nn.Module) -> None:
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        nn.init.kaiming_normal_(module.weight, mode="fan_in", nonlinearity="relu")
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def image() -> torch.Tensor:
    """A random image: 224 x 224, three channels."""
    return torch.randn(1, 3, 224, 224)
