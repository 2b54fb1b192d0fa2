"""Tests that constant factors and addends of columns are folded into weights."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.convolution import DwconvF32
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.gemm import GemmF32

_LINEAR = nn.Linear(5, 3)
_ROW = torch.tensor([1.0, -2.0, 0.5])
_COLUMN = torch.tensor([[1.0], [3.0]])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: _LINEAR(x) * _ROW + _ROW,
        lambda x: _ROW - _LINEAR(x),
        lambda x: _LINEAR(x) / 4 - 1.5,
        lambda x: (_LINEAR(x) - _ROW) / _ROW,
    ],
)
def test_column_scales_and_shifts_are_folded_into_weights(function: Callable[[Tensor], Tensor]) -> None:
    x = torch.randn(2, 5)
    assert [type(each) for each in specs(function, x)] == [GemmF32]
    assert_computes(function, x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: _LINEAR(x) * _COLUMN,  # one factor per row
        lambda x: _ROW / torch.exp(_LINEAR(x)),
        lambda x: torch.relu(_LINEAR(x)) * _ROW,
        lambda x: torch.maximum(_LINEAR(x), _ROW),
    ],
)
def test_ineligible_elementwise_ops_are_not_folded(function: Callable[[Tensor], Tensor]) -> None:
    x = torch.randn(2, 5)
    assert [type(each) for each in specs(function, x)] == [GemmF32, ElementwiseF32]
    assert_computes(function, x)


def test_channel_scales_are_folded_into_depthwise_weights() -> None:
    convolution, factor = nn.Conv2d(4, 4, 3, groups=4), torch.arange(1.0, 5.0).reshape(1, 4, 1, 1)
    x = torch.randn(1, 4, 5, 5).to(memory_format=torch.channels_last)
    made = specs(lambda x: convolution(x) * factor, x)
    assert [type(each) for each in made] == [DwconvF32]
    assert_computes(lambda x: convolution(x) * factor, x)
