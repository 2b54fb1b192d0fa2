"""MobileNetV2 with calibration images."""

from __future__ import annotations

import torch

import exir
from models.mobilenet import mobilenet_v2


def model() -> exir.ModelSpec:
    """Entry point."""
    network, inputs = mobilenet_v2()
    pictures = [tuple(torch.randn_like(each) for each in inputs) for _ in range(4)]
    return exir.ModelSpec(network, inputs, calibration_inputs={"forward": pictures})
