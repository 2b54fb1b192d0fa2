"""Tests that adaptive pooling lowers to one op and agrees with PyTorch."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.pooling import AdaptivePool

_POOLS: list[tuple[Callable[..., Tensor], tuple[int, ...]]] = [
    (lambda x, **how: F.adaptive_max_pool1d(x, 4, **how), (2, 3, 10)),
    (lambda x, **how: F.adaptive_max_pool1d(x, 3, **how), (3, 10)),
    (lambda x, **how: F.adaptive_max_pool2d(x, (3, 2), **how), (2, 3, 7, 5)),
    (lambda x, **how: F.adaptive_max_pool2d(x, (3, 9), **how), (3, 7, 5)),
    (lambda x, **how: F.adaptive_max_pool2d(x, 1, **how), (2, 3, 7, 5)),
    (lambda x, **how: F.adaptive_max_pool3d(x, (2, 3, 4), **how), (2, 3, 5, 4, 7)),
    (lambda x, **how: F.adaptive_max_pool3d(x, (2, 1, 2), **how), (3, 4, 3, 2)),
]


@pytest.mark.parametrize(("function", "shape"), _POOLS)
def test_adaptive_maxima_and_their_indices(function: Callable[..., Tensor], shape: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    assert_computes(function, x)
    assert_computes(lambda x: function(x, return_indices=True), x)
    assert_computes(lambda x: function(x, return_indices=True)[1], x)


@pytest.mark.parametrize(
    ("module", "shape"),
    [
        (nn.AdaptiveAvgPool2d((4, 5)), (2, 3, 6, 8)),
        (nn.AdaptiveAvgPool2d((11, 3)), (2, 3, 6, 8)),
        (nn.AdaptiveAvgPool1d(5), (3, 8)),
        (nn.AdaptiveAvgPool3d((2, 3, 4)), (2, 3, 5, 4, 7)),
    ],
)
def test_averaging_windows_of_different_sizes_is_one_op(module: nn.Module, shape: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    assert AdaptivePool in {type(each) for each in specs(module, x)}
    assert_computes(module, x)


@pytest.mark.parametrize("function", [F.adaptive_avg_pool2d, F.adaptive_max_pool2d])
def test_adaptive_pooling_of_dynamic_images(function: Callable[..., Tensor]) -> None:
    shapes = ({2: Dim("height", min=2, max=9)},)
    others = [(torch.randn(1, 3, height, 5),) for height in (2, 9)]
    assert_computes(lambda x: function(x, (3, 2)), torch.randn(1, 3, 5, 5), dynamic_shapes=shapes, others=others)
