"""MobileNetV2 for 224 x 224 RGB images and 1,000 classes.

Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks" (2018), table 2, at width 1.0.
Parameters have the names of torchvision's `mobilenet_v2`, so that its checkpoints load with the rule's
`weights`.
"""

from __future__ import annotations

import torch
from torch import nn

# Rows of the paper's table 2: expansion, output channels, repeats, first stride.
_BOTTLENECKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
_STEM_CHANNELS = 32
_HEAD_CHANNELS = 1280


class ConvNormActivation(nn.Sequential):
    """Convolution without bias, batch norm and ReLU6.

    With stride 1, the size is unchanged.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1):
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU6(inplace=True),
        )


class InvertedResidual(nn.Module):
    """Expand with 1x1, filter depthwise with 3x3, project with 1x1.

    The input is added if shapes match.
    """

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int):
        super().__init__()
        hidden = inputs * expansion
        layers: list[nn.Module] = []
        if expansion != 1:
            layers.append(ConvNormActivation(inputs, hidden, kernel=1))
        layers += [
            ConvNormActivation(hidden, hidden, stride=stride, groups=hidden),
            nn.Conv2d(hidden, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        ]
        self.conv = nn.Sequential(*layers)
        self.has_residual = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv(x) if self.has_residual else self.conv(x)


class MobileNetV2(nn.Module):
    """Convert (N, 3, H, W) float32 images to (N, classes) float32 logits.

    H and W are multiples of 32.
    """

    def __init__(self, classes: int = 1000):
        super().__init__()
        features: list[nn.Module] = [ConvNormActivation(3, _STEM_CHANNELS, stride=2)]
        channels = _STEM_CHANNELS
        for expansion, outputs, repeats, first_stride in _BOTTLENECKS:
            for index in range(repeats):
                stride = first_stride if index == 0 else 1
                features.append(InvertedResidual(channels, outputs, stride, expansion))
                channels = outputs
        features.append(ConvNormActivation(channels, _HEAD_CHANNELS, kernel=1))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(_HEAD_CHANNELS, classes))
        self.apply(_initialise)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(pooled, 1))


def _initialise(module: nn.Module) -> None:
    """Initialize with fan-in (He et al., 2015).

    Activations then keep their scale, even through depthwise layers.
    """
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, mode="fan_in", nonlinearity="relu")
    elif isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, 0.0, 0.01)
        nn.init.zeros_(module.bias)


def mobilenet_v2() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: the model in evaluation mode and an example input."""
    return MobileNetV2().eval(), (torch.randn(1, 3, 224, 224),)
