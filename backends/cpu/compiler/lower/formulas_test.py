"""Tests that operators with several instructions agree with PyTorch."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.elementwise import ElementwiseF32, ElementwiseI64

_NUMBERS = torch.cat([torch.randn(40) * 10.0**power for power in (-6, -3, 0, 1)] + [torch.tensor([0.0, 1.0, -1.0])])


@pytest.mark.parametrize(
    "function",
    [
        torch.expm1,
        torch.sign,
        torch.trunc,
        torch.isnan,
        torch.isinf,
        torch.exp2,
        torch.tan,
        lambda x: torch.log1p(x.abs()),
        lambda x: torch.log2(x.abs() + 1),
        lambda x: torch.log10(x.abs() + 1),
        lambda x: 2**x,
        F.selu,
        F.celu,
        F.softplus,
        F.mish,
        F.logsigmoid,
        lambda x: F.elu(x, 0.5),
        lambda x: torch.add(x, x.relu(), alpha=2),
        lambda x: torch.sub(x, 3.0, alpha=0.5),
        lambda x: torch.clamp(x, min=x * 2),
        lambda x: torch.clamp(x, min=-x.abs(), max=x * x),
    ],
)
def test_each_formula_lowers_to_elementwise_ops(function: Any) -> None:
    assert {type(each) for each in specs(function, _NUMBERS)} == {ElementwiseF32}
    assert_computes(function, _NUMBERS.reshape(1, -1))


def test_formulas_of_infinity_and_nan() -> None:
    x = torch.tensor([float("inf"), float("-inf"), 3.0])
    assert_computes(lambda x: torch.stack([x.expm1(), x.sign(), x.trunc()]), x)
    assert_computes(lambda x: torch.stack([x.isinf(), x.log1p().isnan(), (x - x).isnan()]), x)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_formulas_of_integers(dtype: torch.dtype) -> None:
    def function(x: Tensor) -> Tensor:
        bounded = x.abs() * x.clamp(-1, 2) * x.clamp(min=1)
        return torch.add(bounded, torch.clamp(x, max=x * x - 3), alpha=-3)

    x = torch.arange(-6, 6, dtype=dtype)
    assert {type(each) for each in specs(function, x)} == {ElementwiseI64}
    assert_computes(function, x)


def test_formulas_of_scalars() -> None:
    assert_computes(lambda x: (x > 0) & (x.sum() > x.mean()), torch.randn(2, 3))
    assert_computes(lambda x: x.sum().log1p() * 2, torch.rand(2, 3))
