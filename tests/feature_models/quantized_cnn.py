"""A small int8 CNN with per-channel weights."""

from __future__ import annotations

from exir.model.spec import ModelSpec
from exir.testing import quantized


def model() -> ModelSpec:
    """Entry point."""
    network, x = quantized.cnn()
    return ModelSpec(quantized.quantized(network, x), (x,))
