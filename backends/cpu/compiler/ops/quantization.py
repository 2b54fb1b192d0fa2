"""Quantized values in PyTorch."""

from dataclasses import replace
from math import isfinite

import torch
from torch import Tensor

from backends.cpu.schema.records import OutputQuantization, QuantParams


def dequantized(params: QuantParams, values: Tensor) -> Tensor:
    """Return the real numbers that quantized `values` represent."""
    return (values.float() - params.zero_point) * params.scale


def quantized(output: OutputQuantization, x: Tensor) -> Tensor:
    """Return the quantized values of the real numbers `x`, as floats."""
    return _rounded(output, x * output.inverse)


def requantized(output: OutputQuantization, sums: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    """Return the quantized values of sums * scale + bias, as floats.

    Scale and bias are multiplied by the inverse scale of the output first, as the runtime does.
    """
    return _rounded(output, sums.float() * (scale * output.inverse) + bias * output.inverse)


def clamped(output: OutputQuantization, low: float, high: float) -> OutputQuantization:
    """Return the quantization of real numbers that are clamped to `low..high` first. Rounding keeps their order."""
    return replace(output, low=_quantized_bound(output, low), high=_quantized_bound(output, high))


def _rounded(output: OutputQuantization, steps: Tensor) -> Tensor:
    return (torch.round(steps) + output.zero_point).clamp(output.low, output.high)


def _quantized_bound(output: OutputQuantization, bound: float) -> int:
    if not isfinite(bound):
        return output.high if bound > 0 else output.low
    return int(quantized(output, torch.tensor(bound)))
