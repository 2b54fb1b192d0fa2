"""Linear layers with uint8 activations and per-tensor weights."""

from __future__ import annotations

import torch

from exir.model.spec import ModelSpec
from exir.testing import quantized
from exir.testing.quantized import Recipe


def model() -> ModelSpec:
    """Entry point."""
    network, x = quantized.mlp()
    return ModelSpec(quantized.quantized(network, x, Recipe(torch.uint8, per_channel=False)), (x,))
