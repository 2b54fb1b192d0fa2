"""Tests that each cumulative sum lowers to one op and agrees with PyTorch."""

import pytest
import torch
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered
from exir.backend.utils import get_non_lowered_nodes


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.int32, torch.bool])
def test_cumsum(dim: int, dtype: torch.dtype) -> None:
    x = (torch.rand(3, 4, 5) * 3).to(dtype)
    assert_computes(lambda x: x.cumsum(dim), x)
    others = [(torch.ones(size, 4, 5, dtype=dtype),) for size in (2, 9)]
    assert_computes(lambda x: x.cumsum(dim) * 2, x, dynamic_shapes=({0: Dim("n", min=2, max=9)},), others=others)


def test_cumulative_sum_of_a_row() -> None:
    assert_computes(lambda x: x.cumsum(0), torch.randn(5))


def test_cumulative_sums_of_channels_last_images() -> None:
    image = torch.randn(1, 3, 4, 5).to(memory_format=torch.channels_last)
    assert_computes(lambda x: x.cumsum(2), image)


def test_positions_of_non_padding_tokens() -> None:
    def function(tokens: Tensor) -> Tensor:
        mask = tokens.ne(1).int()
        return (mask.cumsum(1).type_as(mask) * mask).long() + 1

    assert_computes(function, torch.tensor([[5, 7, 9, 1, 1], [4, 1, 1, 1, 1]]))


def test_cumulative_sums_with_dtype_conversion_are_left_to_kernels() -> None:
    program = lowered(lambda x: x.cumsum(0, dtype=torch.float32), [torch.arange(4)])
    assert get_non_lowered_nodes(program.graph)
