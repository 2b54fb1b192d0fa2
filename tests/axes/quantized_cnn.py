"""A small convolutional network in int8, weights per channel."""

from __future__ import annotations

from exir.model_spec import ModelSpec
from exir.testing import quantized


def model() -> ModelSpec:
    """Entry point."""
    network, x = quantized.cnn()
    return ModelSpec(quantized.quantized(network, x), (x,))
