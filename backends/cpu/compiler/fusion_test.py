"""Tests that GEMMs and convolutions apply residuals and activations."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from backends.cpu.compiler.testing.compare import assert_computes, ops, specs
from backends.cpu.schema.convolution import DwconvF32
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.records import NONE, RELU, Activation, ActivationFunction

_COLUMN = torch.ones(3, 1)


class _Layer(nn.Module):
    def __init__(self, use: Callable[[nn.Module, Tensor], Tensor]) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.use = use

    def forward(self, x: Tensor) -> Tensor:
        return self.use(self.linear, x)


def _activated_times_itself(linear: nn.Module, x: Tensor) -> Tensor:
    y = linear(x)
    return y.relu() * y


@pytest.mark.parametrize(
    "function, activation",
    [
        (torch.relu, RELU),
        (F.relu6, Activation(ActivationFunction.CLAMP, 0.0, 6.0)),
        (F.gelu, Activation(ActivationFunction.GELU)),
        (F.silu, Activation(ActivationFunction.SILU)),
        (F.hardswish, Activation(ActivationFunction.HARDSWISH)),
    ],
)
def test_activation_is_fused_into_the_gemm(function: Callable[[Tensor], Tensor], activation: Activation) -> None:
    module, x = _Layer(lambda linear, x: function(linear(x))), torch.randn(3, 8)
    assert specs(module, x) == [GemmF32(activation)]
    assert_computes(module, x)


def test_residual_and_activation_are_fused() -> None:
    module, x = _Layer(lambda linear, x: torch.relu(x + linear(x))), torch.randn(3, 8)
    (op,) = ops(module, x).ops
    assert op.spec == GemmF32(RELU)
    assert len(op.inputs) == 4
    assert_computes(module, x)


def test_the_later_of_two_gemms_adds_the_earlier_result() -> None:
    module, x = _Layer(lambda linear, x: linear(x) + linear(x * 2)), torch.randn(3, 8)
    assert [type(each) for each in specs(module, x)] == [GemmF32, ElementwiseF32, GemmF32]
    assert_computes(module, x)


@pytest.mark.parametrize(
    "use",
    [
        _activated_times_itself,  # the activated value has another reader
        lambda linear, x: linear(x).relu() + x,  # added after the activation
        lambda linear, x: (linear(x) + _COLUMN).relu(),  # an operand that is broadcast
        lambda linear, x: linear(x).reshape(2, 12).relu(),  # a view with a different shape
    ],
)
def test_ineligible_activations_and_sums_are_not_fused(use: Callable[[nn.Module, Tensor], Tensor]) -> None:
    module, x = _Layer(use), torch.randn(3, 8)
    found = [each for each in ops(module, x).ops if isinstance(each.spec, GemmF32)]
    assert all(len(each.inputs) == 3 for each in found)
    assert any(isinstance(each, ElementwiseF32) for each in specs(module, x))
    assert_computes(module, x)


def test_residual_is_not_fused_into_a_depthwise_convolution() -> None:
    convolution = nn.Conv2d(4, 4, 3, padding=1, groups=4)
    x = torch.randn(1, 4, 5, 5)
    made = specs(nn.Sequential(convolution, nn.ReLU()), x)
    assert [each.activation for each in made if isinstance(each, DwconvF32)] == [RELU]
    module = _Layer(lambda linear, x: x + convolution(x))
    assert [each.activation for each in specs(module, x) if isinstance(each, DwconvF32)] == [NONE]
    assert_computes(module, x)
