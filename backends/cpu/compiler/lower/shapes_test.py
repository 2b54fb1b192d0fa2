"""Tests that views and permutations agree with PyTorch.

Several of them can read the same value.
"""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.copies import Permute


@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 3, 4)])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x.permute(2, 0, 1), x.permute(1, 2, 0)),
        lambda x: (x.mT.transpose(0, 1), x.mT),
        lambda x: (x.mT.sin(), x.permute(2, 0, 1).sin(), x.transpose(0, 2).sin()),
    ],
)
def test_several_permutations_of_one_value(function: Any, sizes: tuple[int, ...]) -> None:
    assert_computes(lambda x: function(x.softmax(-1)), torch.randn(sizes))


def test_matrix_multiplications_of_permutations_of_one_value() -> None:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        columns = (x * 2).mT
        return columns @ columns, columns.transpose(0, 1) @ columns.transpose(0, 1)

    assert_computes(function, torch.randn(3, 3, 3))


def test_a_permutation_with_several_readers_is_one_op() -> None:
    def function(x: Tensor) -> Tensor:
        y = x.softmax(-1)
        return F.layer_norm(y.mT, (3,)) + F.rms_norm(y.mT, (3,))

    assert [type(each) for each in specs(function, torch.randn(2, 3, 4))].count(Permute) == 1


def test_dynamic_sizes_with_different_but_equal_expressions() -> None:
    rows, columns = Dim("rows", min=2, max=8), Dim("columns", min=2, max=8)

    def joined(x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x, x[:1]]).flatten() * 2

    inputs = torch.randn(4, 5), torch.randn(4, 5)
    shapes = ({0: rows, 1: columns}, {0: rows, 1: columns})
    others = [(torch.randn(8, 2), torch.randn(8, 2)), (torch.randn(2, 8), torch.randn(2, 8))]
    assert_computes(joined, *inputs, dynamic_shapes=shapes, others=others)


@pytest.mark.parametrize(
    "function, sizes",
    [
        (lambda x: (x * 2)[:, 1:].flatten(1, 2), (5, 1, 3)),
        (lambda x: torch.diff(x, dim=2).flatten(2, 3), (4, 5, 1, 5)),
        (lambda x: (x * 2).mT.reshape(0, 4), (2, 0, 3)),
    ],
)
def test_views_of_empty_tensors(function: Any, sizes: tuple[int, ...]) -> None:
    assert_computes(function, torch.randn(sizes))
