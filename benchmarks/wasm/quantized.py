"""MobileNetV2 with random calibration inputs, for measurements of int8 kernels."""

from __future__ import annotations

import torch

from exir import ModelSpec
from models.mobilenet import mobilenet_v2


def model() -> ModelSpec:
    """Entry point: the model, calibrated with four random images."""
    module, inputs = mobilenet_v2()
    images = [inputs, *((torch.randn_like(inputs[0]),) for _ in range(3))]
    return ModelSpec(module, inputs, calibration_inputs={"forward": images})
