"""Tests that reductions over any dimensions lower to one op."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.reduction import Reduce
from exir.backend.utils import get_non_lowered_nodes

_SIZES = (2, 3, 4, 5)
_DIMS = [-1, 0, 1, (0, 1), (1, 3), (0, 2, 3)]


@pytest.mark.parametrize("function", [torch.sum, torch.mean, torch.amax, torch.amin])
@pytest.mark.parametrize("dims", _DIMS)
@pytest.mark.parametrize("keepdim", [False, True])
def test_reductions(function: Any, dims: Any, keepdim: bool) -> None:
    x = torch.randn(_SIZES)
    made = specs(lambda x: function(x, dims, keepdim=keepdim), x)
    assert [type(each) for each in made if not isinstance(each, Permute)] == [Reduce]
    assert_computes(lambda x: function(x, dims, keepdim=keepdim), x)


@pytest.mark.parametrize("function", [torch.argmax, torch.argmin, torch.prod])
@pytest.mark.parametrize("dim", [-1, 0, 2])
def test_argmax_argmin_and_product(function: Any, dim: int) -> None:
    assert_computes(lambda x: function(x, dim), torch.randn(_SIZES))
    assert_computes(lambda x: function(x, dim, keepdim=True), torch.randn(_SIZES))


@pytest.mark.parametrize("function", [torch.sum, torch.mean, torch.prod, torch.argmax, torch.argmin])
def test_reductions_of_all_elements(function: Any) -> None:
    assert_computes(lambda x: function(x), torch.randn(_SIZES))
    assert_computes(lambda x: function(F.avg_pool2d(x, 1)), torch.randn(_SIZES))


def test_reductions_of_channels_last_images() -> None:
    for dims in (1, (1, 2), 3):
        assert_computes(lambda x, dims=dims: F.avg_pool2d(x, 1).sum(dims), torch.randn(_SIZES))


def test_reductions_of_a_dynamic_number_of_elements() -> None:
    def function(x: Tensor) -> Tensor:
        return x.mean(1) + x.amax(1)

    others = [(torch.randn(2, size, 5),) for size in (2, 20)]
    assert_computes(function, torch.randn(2, 7, 5), dynamic_shapes=({1: Dim("n", min=2, max=20)},), others=others)


@pytest.mark.parametrize("function", [torch.max, torch.min])
@pytest.mark.parametrize("dim", [-1, 0, 2])
def test_maxima_and_minima_with_their_indices(function: Any, dim: int) -> None:
    assert_computes(lambda x: tuple(function(x, dim)), torch.randn(_SIZES))
    assert_computes(lambda x: function(x, dim, keepdim=True)[0] + function(x), torch.randn(_SIZES))
    assert_computes(lambda x: function(x, dim)[1], torch.randn(_SIZES))


@pytest.mark.parametrize("function", [torch.any, torch.all])
def test_any_and_all(function: Any) -> None:
    x = torch.randn(_SIZES)
    assert_computes(lambda x: function(x > 1), x)
    assert_computes(lambda x: function(x > 0, 1), x)
    assert_computes(lambda x: function(x > 0, -1, keepdim=True), x)
    assert_computes(lambda x: function(x, 2), torch.randint(0, 2, _SIZES))


def test_any_of_several_dimensions() -> None:
    assert_computes(lambda x: torch.any(x > 2, (0, 2)), torch.randn(_SIZES))


@pytest.mark.parametrize("correction", [0, 1, 2])
@pytest.mark.parametrize("dims", [-1, (0, 2)])
def test_variances(correction: int, dims: Any) -> None:
    x = torch.randn(_SIZES)
    assert_computes(lambda x: x.var(dims, correction=correction), x)
    assert_computes(lambda x: torch.var_mean(x, dims, correction=correction, keepdim=True), x)


def test_variance_without_a_correction_divides_by_one_less() -> None:
    assert_computes(lambda x: torch.ops.aten.var.correction(x, [1]), torch.randn(_SIZES))


def test_reductions_of_integers_are_left_to_kernels() -> None:
    assert get_non_lowered_nodes(lowered(lambda x: x.sum(0), [torch.arange(6).reshape(2, 3)]).graph)
