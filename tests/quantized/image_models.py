"""Image classifiers with random calibration images."""

from __future__ import annotations

import torch
from torch import Tensor, nn

import exir
from models.classify.efficientnet_lite import efficientnet_lite0
from models.mobilenet import mobilenet_v2


def efficientnet() -> exir.ModelSpec:
    """Entry point: EfficientNet-Lite0 with random weights."""
    return _calibrated(*efficientnet_lite0(), 2)


def mobilenet() -> exir.ModelSpec:
    """Entry point: MobileNetV2."""
    return _calibrated(*mobilenet_v2(), 4)


def _calibrated(network: nn.Module, inputs: tuple[Tensor, ...], batches: int) -> exir.ModelSpec:
    images = [tuple(torch.randn_like(tensor) for tensor in inputs) for _ in range(batches)]
    return exir.ModelSpec(network, inputs, calibration_inputs={"forward": images})
