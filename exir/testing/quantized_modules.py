"""Helpers for tests of quantization: quantized modules, and their accuracy."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.export import export

from exir.quantize import QuantizationOptions, Quantized, quantize_program

IMAGE_SHAPE = (2, 3, 8, 8)
"""Batch, channels, height and width."""


def quantize_module(
    module: nn.Module, x: Tensor, recipe: str = "int8_static", **options: Any
) -> Quantized:
    """Quantize `module`, calibrated with `x` and seven random tensors of its shape."""
    torch.manual_seed(0)
    calls = [(x,), *((torch.randn_like(x),) for _ in range(7))]
    return quantize_program(export(module.eval(), (x,)), QuantizationOptions(recipe, **options), calls)


def output_signal_to_noise(quantized: Quantized, module: nn.Module, x: Tensor) -> float:
    """Return the signal-to-quantization-noise ratio of the output for `x`, in dB."""
    with torch.no_grad():
        return signal_to_noise(module(x), quantized.program.module()(x))


def signal_to_noise(real: Tensor, found: Tensor) -> float:
    """Return the signal-to-quantization-noise ratio of `found`, in dB."""
    return float(10 * torch.log10(real.square().sum() / (real - found).square().sum()))
