"""ResNet-18 and ResNet-50 (He et al., 2015, table 1).

The stride of a bottleneck is in its 3x3 convolution, as in later implementations.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from benchmarks.latency.models.blocks import Classifier, conv_norm, image

_WIDTHS = (64, 128, 256, 512)


class _Residual(nn.Module):
    """A residual block with ReLU; the input is projected if the shapes differ."""

    def __init__(self, inputs: int, outputs: int, stride: int, layers: nn.Sequential):
        super().__init__()
        self.layers = layers
        same = inputs == outputs and stride == 1
        self.shortcut = nn.Identity() if same else conv_norm(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.layers(x) + self.shortcut(x))


def _basic(inputs: int, width: int, stride: int) -> tuple[nn.Module, int]:
    layers = nn.Sequential(
        conv_norm(inputs, width, 3, stride, activation=nn.ReLU),
        conv_norm(width, width, 3),
    )
    return _Residual(inputs, width, stride, layers), width


def _bottleneck(inputs: int, width: int, stride: int) -> tuple[nn.Module, int]:
    outputs = 4 * width
    layers = nn.Sequential(
        conv_norm(inputs, width, activation=nn.ReLU),
        conv_norm(width, width, 3, stride, activation=nn.ReLU),
        conv_norm(width, outputs),
    )
    return _Residual(inputs, outputs, stride, layers), outputs


def _resnet(
    block: Callable[[int, int, int], tuple[nn.Module, int]], repeats: tuple[int, ...]
) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    features: list[nn.Module] = [conv_norm(3, 64, 7, 2, activation=nn.ReLU), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for width, count in zip(_WIDTHS, repeats, strict=True):
        for index in range(count):
            layer, channels = block(channels, width, 2 if index == 0 and width != 64 else 1)
            features.append(layer)
    return Classifier(nn.Sequential(*features), nn.Linear(channels, 1000)).eval(), (image(),)


def resnet18() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return _resnet(_basic, (2, 2, 2, 2))


def resnet50() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return _resnet(_bottleneck, (3, 4, 6, 3))
