"""Tests that norms and softmax each lower to one op and agree with PyTorch."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.normalization import Norm, Softmax
from backends.cpu.schema.quantization import Cast
from exir.backend.utils import get_non_lowered_nodes

_SIZES = (2, 3, 4, 5)


@pytest.mark.parametrize(
    "module",
    [
        nn.LayerNorm(5),
        nn.LayerNorm((4, 5), eps=1e-3),
        nn.LayerNorm(5, elementwise_affine=False),
        nn.LayerNorm(5, bias=False),
        nn.RMSNorm(5),
        nn.RMSNorm(5, eps=1e-3),
        lambda x: F.layer_norm(x, (5,)),
    ],
)
def test_layer_norm_and_rms_norm(module: Any) -> None:
    if isinstance(module, nn.Module):
        for each in module.parameters():
            nn.init.normal_(each)
    x = torch.randn(_SIZES)
    assert [type(each) for each in specs(module, x)] == [Norm]
    assert_computes(module, x)


_SCALE = torch.rand(5) + 0.5


@pytest.mark.parametrize(
    "function",
    [
        lambda x: _SCALE * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)),
        lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * _SCALE,
        lambda x: torch.rsqrt(1e-3 + x.square().mean((3,), keepdim=True)) * x,
        lambda x: _SCALE * (x / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-6)),
    ],
)
def test_rms_norms_composed_of_elementary_operators(function: Any) -> None:
    x = torch.randn(_SIZES)
    assert [type(each) for each in specs(function, x)] == [Norm]
    assert_computes(function, x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-5),
        lambda x: x * torch.rsqrt(x.pow(4).mean(-1, keepdim=True) + 1e-5),
        lambda x: x * torch.rsqrt(x.abs().pow(2).mean(-1, keepdim=True) + 1e-5),
        lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + x.exp()),
        lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)),
    ],
)
def test_patterns_similar_to_an_rms_norm_are_not_norms(function: Any) -> None:
    x = torch.randn(_SIZES)
    assert Norm not in [type(each) for each in specs(function, x)]
    assert_computes(function, x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum() * torch.rsqrt(x.abs().sum() + 1.0),
        lambda x: x.sum() / torch.sqrt(x.abs().mean() + 1.0),
        lambda x: torch.rsqrt(x.abs().sum() + 1.0) * x.sum(),
    ],
)
def test_scalar_tensor_is_not_an_rms_norm(function: Any) -> None:
    x = torch.randn(_SIZES)
    assert Norm not in [type(each) for each in specs(function, x)]
    assert_computes(function, x)


def test_rms_norm_whose_factor_has_other_readers() -> None:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        factor = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        return factor, x * factor * _SCALE

    assert_computes(function, torch.randn(_SIZES))


def test_norm_of_a_dynamic_number_of_rows() -> None:
    shapes = {0: Dim("rows", max=20)}
    others = [(torch.randn(20, 6),), (torch.randn(1, 6),)]
    assert_computes(nn.LayerNorm(6), torch.randn(3, 6), dynamic_shapes=(shapes,), others=others)


def test_norm_with_a_computed_scale_is_left_to_kernels() -> None:
    def scaled(x: Tensor, scale: Tensor) -> Tensor:
        return F.layer_norm(x, (5,), scale)

    assert get_non_lowered_nodes(lowered(scaled, [torch.randn(_SIZES), torch.randn(5)]).graph)


@pytest.mark.parametrize("function", [F.softmax, F.log_softmax])
@pytest.mark.parametrize("dim", [-1, 0, 1, 2])
def test_softmax_over_any_dimension(function: Any, dim: int) -> None:
    x = torch.randn(_SIZES) * 10
    made = specs(lambda x: function(x, dim), x)
    assert [type(each) for each in made if not isinstance(each, Permute)] == [Softmax]
    assert_computes(lambda x: function(x, dim), x)


def test_softmax_over_image_channels_is_one_op() -> None:
    def scores(x: Tensor) -> Tensor:
        return F.softmax(F.avg_pool2d(x, 1), 1).flatten(2).transpose(1, 2)

    x = torch.randn(_SIZES).to(memory_format=torch.channels_last)
    assert [type(each).__name__ for each in specs(scores, x)] == ["PoolF32", "Softmax"]
    assert_computes(scores, x)


def test_softmax_of_a_scalar() -> None:
    assert_computes(lambda x: F.softmax(x.relu(), 0), torch.randn(()))


class _HalfNorm(nn.Module):
    """RMS norm of float16 and bfloat16 models.

    It normalizes in float32 and scales in the dtype of the model.
    """

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6).to(dtype))

    def forward(self, x: Tensor) -> Tensor:
        floats = x.to(torch.float32)
        scaled = floats * torch.rsqrt(floats.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * scaled.to(x.dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_float16_rms_norm_with_float32_arithmetic_is_one_op(dtype: torch.dtype) -> None:
    module, x = _HalfNorm(dtype), torch.randn(3, 6).to(dtype)
    made = [each for each in specs(module, x) if not isinstance(each, Cast)]
    assert [type(each) for each in made] == [Norm]
    assert_computes(module, x, tolerance=1e-5 if dtype == torch.float32 else 2e-2)
