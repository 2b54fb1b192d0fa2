"""EfficientNet-Lite0 with random weights and calibration images."""

from __future__ import annotations

import torch

import exir
from models.classify.efficientnet_lite import efficientnet_lite0


def model() -> exir.ModelSpec:
    """Entry point."""
    network, inputs = efficientnet_lite0()
    pictures = [tuple(torch.randn_like(each) for each in inputs) for _ in range(2)]
    return exir.ModelSpec(network, inputs, calibration_inputs={"forward": pictures})
