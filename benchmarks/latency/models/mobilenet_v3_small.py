"""MobileNetV3-Small: Howard et al., "Searching for MobileNetV3" (2019), table 2."""

from __future__ import annotations

import torch
from torch import nn

from benchmarks.latency.models.blocks import Classifier, InvertedResidual, conv_norm, image

# Kernel, hidden channels, output channels, channels of the squeeze (0: none), activation, stride.
_BLOCKS = (
    (3, 16, 16, 8, nn.ReLU, 2),
    (3, 72, 24, 0, nn.ReLU, 2),
    (3, 88, 24, 0, nn.ReLU, 1),
    (5, 96, 40, 24, nn.Hardswish, 2),
    (5, 240, 40, 64, nn.Hardswish, 1),
    (5, 240, 40, 64, nn.Hardswish, 1),
    (5, 120, 48, 32, nn.Hardswish, 1),
    (5, 144, 48, 40, nn.Hardswish, 1),
    (5, 288, 96, 72, nn.Hardswish, 2),
    (5, 576, 96, 144, nn.Hardswish, 1),
    (5, 576, 96, 144, nn.Hardswish, 1),
)


def mobilenet_v3_small() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    features: list[nn.Module] = [conv_norm(3, 16, 3, 2, activation=nn.Hardswish)]
    channels = 16
    for kernel, hidden, outputs, squeezed, activation, stride in _BLOCKS:
        features.append(InvertedResidual(channels, hidden, outputs, kernel, stride, activation, squeezed))
        channels = outputs
    features.append(conv_norm(channels, 576, activation=nn.Hardswish))
    head = nn.Sequential(nn.Linear(576, 1024), nn.Hardswish(), nn.Linear(1024, 1000))
    return Classifier(nn.Sequential(*features), head).eval(), (image(),)
