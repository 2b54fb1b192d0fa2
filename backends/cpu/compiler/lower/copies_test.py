"""Tests that slices, concatenation, padding, expansion and flips lower to one op."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.copies import Copy, Permute
from exir.backend.utils import get_non_lowered_nodes
from exir.dialects.edge import EdgeOpOverload

_SIZES = (2, 5, 6, 8)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:, 1:4],
        lambda x: x[..., 1::3],
        lambda x: x[:, -3:-1],
        lambda x: x[:, :, -100:2],
        lambda x: x[:, 2],
        lambda x: x[..., -1],
        lambda x: torch.cat([x, x * 2], 1),
        lambda x: torch.cat([x, x[:, :2], x], -3),
        lambda x: F.pad(x, (1, 2, 0, 3)),
        lambda x: F.pad(x, (-1, 2, 3, -2), value=0.5),
        lambda x: x.flip(1, -1),
        lambda x: x[:, :1].expand(2, 3, 6, 8),
        lambda x: x[0, :, :1].expand(4, 5, 6, 8),
    ],
)
def test_copies(function: Any) -> None:
    x = torch.randn(_SIZES)
    assert Copy in {type(each) for each in specs(function, x)}
    assert_computes(function, x)
    assert_computes(lambda x: function(F.avg_pool2d(x, 1)), x)


def test_images_are_concatenated_in_place() -> None:
    def function(x: Tensor) -> Tensor:
        y = F.avg_pool2d(x, 1)
        return F.max_pool2d(torch.cat([y, F.relu(y)], 1), 1)

    x = torch.randn(_SIZES).to(memory_format=torch.channels_last)
    assert Permute not in {type(each) for each in specs(function, x)}


def test_copies_of_dynamic_sizes() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x.flip(0), y[-2:], y, x], 0)

    rows = Dim("rows", min=3, max=9), Dim("others", min=2, max=9)
    shapes = ({0: rows[0]}, {0: rows[1]})
    others = [(torch.randn(9, 3), torch.randn(2, 3)), (torch.randn(3, 3), torch.randn(9, 3))]
    assert_computes(function, torch.randn(4, 3), torch.randn(5, 3), dynamic_shapes=shapes, others=others)


def test_many_tensors_are_concatenated_by_one_op() -> None:
    def function(x: Tensor) -> Tensor:
        return torch.cat([x * number for number in range(20)], 1)

    assert [type(each) for each in specs(function, torch.randn(2, 3))].count(Copy) == 1
    assert_computes(function, torch.randn(2, 3))


def test_concatenation_of_too_many_tensors_is_left_to_kernels() -> None:
    program = lowered(lambda x: torch.cat([x.relu()] * 65), [torch.randn(2)])
    assert [str(node.target) for node in get_non_lowered_nodes(program.graph)] == ["edge.aten.cat.default"]


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_split_and_chunk(dim: int) -> None:
    def function(x: Tensor) -> Tensor:
        first, second, _ = x.split([2, 1, 1], dim)
        return torch.cat((second, first.neg()), dim)

    assert_computes(function, torch.randn(4, 4, 4))
    assert_computes(lambda x: sum(x.chunk(2, dim)), torch.randn(4, 4, 4))


@pytest.mark.parametrize(
    "shifts, dims", [(2, 1), (-3, -1), ((1, -2), (0, 2)), ((3, 4, 7), (0, 1, 2)), ((5, 1), (1, 2))]
)
def test_rolls_are_one_op(shifts: Any, dims: Any) -> None:
    x = torch.randn(3, 5, 8)
    assert [type(each) for each in specs(lambda x: x.roll(shifts, dims), x)] == [Copy]
    assert_computes(lambda x: x.roll(shifts, dims), x)


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
def test_concatenation_of_unsupported_dtypes_is_left_to_kernels(dtype: torch.dtype) -> None:
    program = lowered(lambda x, y: torch.cat([x, y]), (torch.randn(2, 3), torch.ones(2, 3).to(dtype)))
    assert [node.target.name() for node in get_non_lowered_nodes(program.graph)] == ["aten::cat"]


def test_float32_and_float16_are_concatenated() -> None:
    x = torch.randn(2, 3)
    assert_computes(lambda x, y: torch.cat([x, y]), x, x.bfloat16())


def test_flips_of_empty_tensors_are_left_to_kernels() -> None:
    program = lowered(lambda x: x.flip(0), (torch.randn(0, 2),))
    assert [node.target.name() for node in get_non_lowered_nodes(program.graph)] == ["aten::flip"]


def test_slice_whose_start_can_exceed_its_end_is_left_to_kernels() -> None:
    """The size is `rows - n` in the program, but 0 in eager PyTorch if n > rows."""

    class Tail(torch.nn.Module):
        def forward(self, x: Tensor, n: int) -> Tensor:
            return x[n:].sum()

    shapes = ({0: Dim("rows", min=2, max=24)}, Dim.DYNAMIC(min=0, max=3))
    program = lowered(Tail(), (torch.randn(4, 3), 2), shapes)
    targets = [node.target for node in get_non_lowered_nodes(program.graph)]
    assert "aten::slice_copy.Tensor" in [target.name() for target in targets if isinstance(target, EdgeOpOverload)]
