"""Tests of casts to and from int8."""

import pytest
import torch
from torch import Tensor

from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.quantization import Dequantize, Quantize
from exir.backend.utils import get_non_lowered_nodes


@pytest.mark.parametrize("integral", [torch.round, torch.floor, torch.ceil])
def test_integral_floats_are_cast_to_int8(integral: type[Tensor]) -> None:
    x = torch.linspace(-128, 127, 511)
    assert Quantize in map(type, specs(lambda x: integral(x).to(torch.int8), x))
    assert_computes(lambda x: integral(x).to(torch.int8), x)


def test_int8_is_cast_to_float32() -> None:
    x = torch.arange(-128, 128).to(torch.int8)
    assert Dequantize in map(type, specs(lambda x: x.to(torch.float32).cos(), x))
    assert_computes(lambda x: x.to(torch.float32).cos(), x)


@pytest.mark.parametrize(
    ("x", "dtype"),
    [
        (torch.randn(5), torch.int8),
        (torch.arange(5), torch.int8),
        (torch.arange(5).to(torch.int8), torch.int64),
        (torch.arange(5).to(torch.uint8), torch.float32),
    ],
)
def test_other_casts_of_small_integers_are_left_to_kernels(x: Tensor, dtype: torch.dtype) -> None:
    assert get_non_lowered_nodes(lowered(lambda x: x.to(dtype), (x,)).graph)
