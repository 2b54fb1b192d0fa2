"""Quantization specs for torchao's PT2E flow."""

from dataclasses import dataclass

import torch
from torchao.quantization.pt2e import HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver
from torchao.quantization.pt2e.quantizer import QuantizationSpec

from exir.quantize.options import QuantizationOptions
from exir.quantize.recipes import Recipe

_OBSERVERS = {"histogram": HistogramObserver, "minmax": MinMaxObserver}


@dataclass(frozen=True)
class Specs:
    """How operands of operators are quantized.

    activation: for inputs and results.
    weight: for constant weights, whose dimension 0 is the output channel.
    """

    activation: QuantizationSpec
    weight: QuantizationSpec


def make_specs(options: QuantizationOptions) -> Specs:
    """Return the specs of the recipe of `options`."""
    return Specs(_activation_spec(options.observer or "histogram"), _weight_spec(options.how))


def _activation_spec(observer: str) -> QuantizationSpec:
    """Return the spec of int8 with a scale and a zero point."""
    return QuantizationSpec(
        dtype=torch.int8,
        observer_or_fake_quant_ctr=_OBSERVERS[observer],
        quant_min=-128,
        quant_max=127,
        qscheme=torch.per_tensor_affine,
    )


def _weight_spec(recipe: Recipe) -> QuantizationSpec:
    """Return the spec of symmetric int8 without -128.

    The sum of two products then fits in int16.
    """
    return QuantizationSpec(
        dtype=torch.int8,
        observer_or_fake_quant_ctr=PerChannelMinMaxObserver if recipe.per_channel else MinMaxObserver,
        quant_min=-127,
        quant_max=127,
        qscheme=torch.per_channel_symmetric if recipe.per_channel else torch.per_tensor_symmetric,
        ch_axis=0 if recipe.per_channel else None,
    )
