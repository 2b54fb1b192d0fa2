"""EfficientNet-Lite0: EfficientNet-B0 (Tan and Le, 2019, table 1) with ReLU6 and without squeeze and excitation."""

from __future__ import annotations

import torch
from torch import nn

from benchmarks.latency.models.blocks import Classifier, InvertedResidual, conv_norm, picture

# Expansion, output channels, repeats, first stride, kernel.
_STAGES = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)


def efficientnet_lite0() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    features: list[nn.Module] = [conv_norm(3, 32, 3, 2, activation=nn.ReLU6)]
    channels = 32
    for expansion, outputs, repeats, first_stride, kernel in _STAGES:
        for index in range(repeats):
            stride = first_stride if index == 0 else 1
            features.append(InvertedResidual(channels, channels * expansion, outputs, kernel, stride, nn.ReLU6))
            channels = outputs
    features.append(conv_norm(channels, 1280, activation=nn.ReLU6))
    return Classifier(nn.Sequential(*features), nn.Linear(1280, 1000)).eval(), (picture(),)
