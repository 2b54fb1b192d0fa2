"""How tensors are quantized, in the terms of torchao's PT2E flow."""

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

    activation: of what operators take and give.
    weight: of constant weights, of which dimension 0 is that of the output channels.
    """

    activation: QuantizationSpec
    weight: QuantizationSpec


def make_specs(options: QuantizationOptions) -> Specs:
    """What the recipe of `options` says."""
    return Specs(_activation(options.observer or "histogram"), _weight(options.how))


def _activation(observer: str) -> QuantizationSpec:
    """int8 with a scale and a zero point."""
    return QuantizationSpec(
        dtype=torch.int8,
        observer_or_fake_quant_ctr=_OBSERVERS[observer],
        quant_min=-128,
        quant_max=127,
        qscheme=torch.per_tensor_affine,
    )


def _weight(recipe: Recipe) -> QuantizationSpec:
    """Symmetric int8 without -128, so that sums of two products fit 16 bits."""
    return QuantizationSpec(
        dtype=torch.int8,
        observer_or_fake_quant_ctr=PerChannelMinMaxObserver if recipe.per_channel else MinMaxObserver,
        quant_min=-127,
        quant_max=127,
        qscheme=torch.per_channel_symmetric if recipe.per_channel else torch.per_tensor_symmetric,
        ch_axis=0 if recipe.per_channel else None,
    )
