"""Tests that programs of each recipe match the quantized model in eager PyTorch.

tools/torch_matrix runs the test with each release of torch.
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from exir.quantize import RECIPES, QuantizationOptions, quantize_program, quantize_weights
from exir.testing.quantized import Residual
from tests.architectures.trial import Lower, lower, lower_for_cpu, run_calls
from tests.quantized import encoder

_BACKENDS = {"portable": lower, "cpu": lower_for_cpu}


def _signal_to_noise(found: Tensor, expected: Tensor) -> float:
    """Return the ratio of the powers of signal and error, in dB."""
    power, error = expected.square().mean(), (found - expected).square().mean()
    return float(10 * (power / error).log10())


def _assert_matches_eager(module: nn.Module, lower_program: Lower, inputs: tuple[Tensor], decibels: float) -> None:
    program = torch.export.export(module, inputs)
    with torch.no_grad():
        expected = module(*inputs)
    ((found,),) = run_calls(lower_program(program), (inputs,))
    assert _signal_to_noise(found, expected) >= decibels


# Sums in another order move results to an adjacent int8 value.
@pytest.mark.parametrize("backend", _BACKENDS)
@pytest.mark.parametrize("recipe", [name for name, recipe in RECIPES.items() if recipe.needs_calibration])
def test_static_recipe_matches_the_quantized_network(recipe: str, backend: str) -> None:
    torch.manual_seed(0)
    calls = [(torch.randn(1, 3, 8, 8),) for _ in range(4)]
    program = torch.export.export(Residual().eval(), calls[0])
    quantized = quantize_program(program, QuantizationOptions(recipe), calls).program
    _assert_matches_eager(quantized.module(), _BACKENDS[backend], calls[0], 35)


@pytest.mark.parametrize("backend", _BACKENDS)
@pytest.mark.parametrize(
    "recipe, decibels", [("int8_dynamic", 17), ("int4_dynamic", 17), ("int8_weight_only", 80), ("int4_weight_only", 80)]
)
def test_weight_recipe_matches_the_quantized_encoder(recipe: str, decibels: float, backend: str) -> None:
    torch.manual_seed(0)
    module, inputs = encoder.model()
    assert not quantize_weights(module, QuantizationOptions(recipe))
    _assert_matches_eager(module, _BACKENDS[backend], inputs, decibels)
