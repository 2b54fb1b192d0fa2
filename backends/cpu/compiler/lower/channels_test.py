"""Tests that channel norms agree with PyTorch and need few ops."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.convolution import ConvF32
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.normalization import Norm
from exir.backend.utils import get_non_lowered_nodes


def _with_statistics(norm: nn.Module) -> nn.Module:
    for each in (*norm.parameters(), *norm.buffers()):
        if each.dtype == torch.float32:
            each.data.uniform_(0.5, 1.5)
    return norm


@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm_without_a_preceding_convolution(affine: bool) -> None:
    norm = _with_statistics(nn.BatchNorm2d(6, affine=affine))
    x = torch.randn(2, 6, 4, 5)
    assert [type(each) for each in specs(nn.Sequential(norm, nn.ReLU()), x)] == [ElementwiseF32]
    assert_computes(nn.Sequential(norm, nn.ReLU(), nn.Conv2d(6, 20, 1)), x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, row: F.group_norm(x, 2, row),
        lambda x, row: F.batch_norm(x, torch.zeros(6), torch.ones(6), bias=row),
        lambda x, row: F.instance_norm(x, weight=row),
    ],
)
def test_norm_with_a_computed_weight_is_left_to_kernels(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    program = lowered(function, (torch.randn(2, 6, 4, 5), torch.rand(6)))
    assert get_non_lowered_nodes(program.graph)


@pytest.mark.parametrize("is_weight", [True, False])
def test_batch_norm_with_a_computed_parameter_is_left_to_kernels(is_weight: bool) -> None:
    class Computed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("mean", torch.rand(6))
            self.register_buffer("variance", torch.rand(6) + 0.5)

        def forward(self, x: Tensor, row: Tensor) -> Tensor:
            weight, bias = (row, None) if is_weight else (None, row)
            return F.batch_norm(x, self.mean, self.variance, weight, bias)

    program = lowered(Computed(), (torch.randn(2, 6, 4, 5), torch.rand(6)))
    assert get_non_lowered_nodes(program.graph)


def test_batch_norm_after_a_residual_is_not_lost() -> None:
    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.norm = nn.Conv2d(6, 6, 1), _with_statistics(nn.BatchNorm2d(6))

        def forward(self, x: Tensor) -> Tensor:
            return self.norm(self.first(x) + x)

    made = specs(Residual(), torch.randn(2, 6, 4, 5))
    assert {GemmF32, ConvF32} & {type(each) for each in made}
    assert_computes(Residual(), torch.randn(2, 6, 4, 5))


@pytest.mark.parametrize(
    "norm", [nn.GroupNorm(2, 6), nn.GroupNorm(3, 6, affine=False), nn.InstanceNorm2d(6, affine=True)]
)
def test_group_norm_and_instance_norm_normalize_rows(norm: nn.Module) -> None:
    x = torch.randn(2, 6, 4, 5)
    assert Norm in {type(each) for each in specs(_with_statistics(norm), x)}
    assert_computes(norm, x)
    assert_computes(nn.Sequential(nn.Conv2d(6, 6, 3), norm, nn.Conv2d(6, 8, 1)), x)


def test_channel_ops_on_images_of_dynamic_size() -> None:
    norm = _with_statistics(nn.GroupNorm(2, 6))
    shapes = ({2: Dim("h", min=2, max=9), 3: Dim("w", min=2, max=9)},)
    others = [(torch.randn(2, 6, 9, 2),)]
    assert_computes(norm, torch.randn(2, 6, 4, 5), dynamic_shapes=shapes, others=others)


@pytest.mark.parametrize("norm", [nn.GroupNorm(2, 6), nn.InstanceNorm2d(6)])
def test_norms_of_batch_size_n_plus_1(norm: nn.Module) -> None:
    """The number of elements is a sum of products, which the batch size divides."""

    def function(x: Tensor, row: Tensor) -> Tensor:
        return norm(torch.cat([x, row]))

    inputs = (torch.randn(3, 6, 4, 5), torch.randn(1, 6, 4, 5))
    width = Dim("w", min=2, max=9)
    shapes = ({0: Dim("n", min=2, max=6), 3: width}, {3: width})
    others = [(torch.randn(6, 6, 4, 9), torch.randn(1, 6, 4, 9))]
    assert_computes(function, *inputs, dynamic_shapes=shapes, others=others)
