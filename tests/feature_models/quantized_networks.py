"""int8 networks whose ops are computed on quantized values."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import ModelSpec
from exir.testing import quantized
from exir.testing.quantized import Recipe


def cnn() -> ModelSpec:
    """Entry point: a small CNN with per-channel weights."""
    network, x = quantized.cnn()
    return ModelSpec(quantized.quantized(network, x), (x,))


def lut() -> ModelSpec:
    """Entry point: lookup tables for unary functions between linear layers."""
    network = nn.Sequential(nn.Linear(12, 20), nn.Sigmoid(), nn.Linear(20, 17), nn.Hardswish())
    x = torch.randn(5, 12)
    return ModelSpec(quantized.quantized(network, x), (x,))


def mlp() -> ModelSpec:
    """Entry point: linear layers with uint8 activations and per-tensor weights."""
    network, x = quantized.mlp()
    return ModelSpec(quantized.quantized(network, x, Recipe(torch.uint8, per_channel=False)), (x,))
