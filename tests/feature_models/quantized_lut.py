"""Lookup tables for unary functions between int8 linear layers."""

from __future__ import annotations

import torch
from torch import nn

from exir.model.spec import ModelSpec
from exir.testing import quantized


def model() -> ModelSpec:
    """Entry point."""
    network = nn.Sequential(nn.Linear(12, 20), nn.Sigmoid(), nn.Linear(20, 17), nn.Hardswish())
    x = torch.randn(5, 12)
    return ModelSpec(quantized.quantized(network, x), (x,))
