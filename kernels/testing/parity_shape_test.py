"""Test that kernels that rearrange, repeat, split or create tensors match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import INTEGRAL, NUMBERS, blank, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
X = random_tensor((2, 3, 4))
IMAGE = random_tensor((2, 3, 4, 5))
ROWS = channels_last(IMAGE)
NOTHING = torch.empty(2, 0, 3)


def fails(message: str, name: str, *arguments: object) -> None:
    with pytest.raises(KernelError, match=message):
        KERNELS.call(name, *arguments)


def refused(message: str, name: str, *arguments: object) -> None:
    out = torch.empty(4, 5, 6)
    fails(message, name, *arguments, out, out)


OTHER_RANKS = [
    ("unsqueeze_copy: self", "aten::unsqueeze_copy.out", torch.ones([1] * 16), 0),
    ("unfold_copy: self", "aten::unfold_copy.out", torch.ones([1] * 16), 0, 1, 1),
    ("repeat_interleave: repeats", "aten::repeat_interleave.Tensor_out", torch.tensor([[2]]), None),
    ("repeat_interleave: repeats", "aten::repeat_interleave.Tensor_out", torch.tensor(2), None),
    ("index_select: index", "aten::index_select.out", X, 0, torch.tensor([[1]])),
    ("bmm: mat2", "aten::bmm.out", X, X[0]),
    ("bmm: self", "aten::bmm.out", X[0], X),
    ("mm: self", "aten::mm.out", X, X[0]),
    ("mm: mat2", "aten::mm.out", X[0], X),
    ("addmm: mat1", "aten::addmm.out", X[0, 0], X, X[0], 1, 1),
    ("addmm: mat2", "aten::addmm.out", X[0, 0], X[0], X, 1, 1),
]


@pytest.mark.parametrize("call", OTHER_RANKS, ids=[f"{i}-{call[1]}" for i, call in enumerate(OTHER_RANKS)])
def test_tensors_of_invalid_rank_are_refused(call: tuple[str, str, object]) -> None:
    message, name, *arguments = call
    refused(message, name, *arguments)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_shape_kernels_move_every_dtype(dtype: torch.dtype) -> None:
    x, image = random_tensor((2, 3, 4), dtype), random_tensor((1, 4, 2, 2), dtype)
    check(KERNELS, "aten::stack.out", [x, x], 1, out=dtype)
    check(KERNELS, "aten::transpose_copy.int_out", x, 0, 2, order=range(3))
    check(KERNELS, "aten::flip.out", x, [1])
    check(KERNELS, "aten::roll.out", x, [1], [1])
    check(KERNELS, "aten::repeat.out", x, [2, 1, 3])
    check(KERNELS, "aten::narrow_copy.out", x, 1, 1, 2)
    check(KERNELS, "aten::slice_scatter.out", x, x[:, :1].contiguous(), 1, 2, None, 1)
    check(KERNELS, "aten::select_scatter.out", x, x[0], 0, 1)
    check(KERNELS, "aten::diagonal_copy.out", x, 0, 0, 1)
    check(KERNELS, "aten::tril.out", x, 0)
    check(KERNELS, "aten::triu.out", x, 0)
    check(KERNELS, "aten::as_strided_copy.out", x, [2, 3], [1, 4], 2)
    check(KERNELS, "aten::unfold_copy.out", x, 2, 2, 1)
    check(KERNELS, "aten::pixel_shuffle.out", image, 2)
    check(KERNELS, "aten::pixel_unshuffle.out", image, 2)
    for name in ("alias", "detach", "lift_fresh"):
        check(KERNELS, f"aten::{name}_copy.out", x)


@pytest.mark.parametrize("dim", [0, 1, 3, -1, -2])
def test_stack_follows_pytorch(dim: int) -> None:
    check(KERNELS, "aten::stack.out", [X, X * 2, X], dim, out=torch.float32)
    check(KERNELS, "aten::stack.out", [ROWS, IMAGE], dim, out=torch.float32, order=range(5))
    check(KERNELS, "aten::stack.out", [torch.tensor(1.0), torch.tensor(2.0)], 0, out=torch.float32)


def test_invalid_stack_is_an_error() -> None:
    refused("stack: 0 tensors", "aten::stack.out", [], 0)
    refused("sizes 3 and 2 differ", "aten::stack.out", [X, X[:, :2].contiguous()], 0)
    refused("dimension 0: sizes 2 and 1 differ", "aten::stack.out", [X, X[:1]], 0)
    refused("3 and 2 dimensions", "aten::stack.out", [X, X[0]], 0)
    refused("axis 4 is not in", "aten::stack.out", [X], 4)


def test_transposition_follows_pytorch() -> None:
    for a, b in ((0, 1), (-1, 0), (1, 1)):
        check(KERNELS, "aten::transpose_copy.int_out", X, a, b, order=range(3))
        check(KERNELS, "aten::transpose_copy.int_out", ROWS, a, b, order=range(4))
    for x in (X[0], X[0, 0], torch.tensor(1.0)):
        check(KERNELS, "aten::t_copy.out", x, order=range(x.dim()))
    refused("3 dimensions, expected 0 to 2", "aten::t_copy.out", X)
    refused("axis 3 is not in", "aten::transpose_copy.int_out", X, 0, 3)


@pytest.mark.parametrize("dims", [[], [0], [-1, 1], [0, 1, 2]], ids=str)
def test_flip_follows_pytorch(dims: list[int]) -> None:
    check(KERNELS, "aten::flip.out", X, dims)
    check(KERNELS, "aten::flip.out", ROWS, dims)
    check(KERNELS, "aten::flip.out", NOTHING, dims)


ROLLS = [([1], [0]), ([-1, 5], [1, -1]), ([3], []), ([-7], []), ([1, 1], [1, 1]), ([2**40], [2]), ([0], [1])]


@pytest.mark.parametrize(("shifts", "dims"), ROLLS, ids=str)
def test_roll_follows_pytorch(shifts: list[int], dims: list[int]) -> None:
    check(KERNELS, "aten::roll.out", X, shifts, dims)
    check(KERNELS, "aten::roll.out", NOTHING, shifts, dims)
    if dims:
        check(KERNELS, "aten::roll.out", ROWS, shifts, dims)


def test_invalid_roll_is_an_error() -> None:
    refused("2 shifts for 1 dims", "aten::roll.out", X, [1, 2], [0])
    refused("2 shifts without dims", "aten::roll.out", X, [1, 2], [])


@pytest.mark.parametrize("shift", [0, 1, -7, 1000])
def test_roll_without_dims_follows_pytorch_in_any_layout(shift: int) -> None:
    for x in (X, ROWS, NOTHING):
        check(KERNELS, "aten::roll.out", x, [shift], [])
    check(KERNELS, "aten::roll.out", ROWS, [shift], [], order=range(4))


@pytest.mark.parametrize("repeats", [[1, 1, 1], [2, 1, 3], [2, 2, 1, 1], [0, 1, 1]], ids=str)
def test_repeat_follows_pytorch(repeats: list[int]) -> None:
    check(KERNELS, "aten::repeat.out", X, repeats)
    check(KERNELS, "aten::repeat.out", NOTHING, repeats)
    check(KERNELS, "aten::repeat.out", torch.tensor(3.0), repeats)


def test_invalid_repeat_is_an_error() -> None:
    refused("got 2 repeats for 3 dimensions", "aten::repeat.out", X, [1, 1])
    refused("would have size -3", "aten::repeat.out", X, [1, -1, 1])
    refused("would have size", "aten::repeat.out", X, [1, 2**31 - 1, 1])


def test_narrow_follows_pytorch() -> None:
    for start, length in ((0, 3), (1, 2), (-2, 1), (3, 0)):
        check(KERNELS, "aten::narrow_copy.out", X, 1, start, length)
        check(KERNELS, "aten::narrow_copy.out", ROWS, 1, start, length, order=range(4))
    refused("length 3 exceeds size", "aten::narrow_copy.out", X, 1, 1, 3)
    refused("start -4 is out of range for size 3", "aten::narrow_copy.out", X, 1, -4, 1)


def parts(expected: tuple[torch.Tensor, ...], name: str, *arguments: object) -> None:
    outs = [blank(part.contiguous()) for part in expected]
    KERNELS.call(name, *arguments, outs, outs)
    for out, part in zip(outs, expected, strict=True):
        assert torch.equal(out, part)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_unbind_and_split_follow_pytorch(dim: int) -> None:
    parts(X.unbind(dim), "aten::unbind_copy.int_out", X, dim)
    for size in (1, 2, 3, 9):
        parts(X.split(size, dim), "aten::split_copy.Tensor_out", X, size, dim)
    parts(NOTHING.split(0, 1), "aten::split_copy.Tensor_out", NOTHING, 0, 1)


def test_invalid_unbind_and_split_are_an_error() -> None:
    outs = [X.clone(), X.clone()]
    fails("3 parts, but 2 outs", "aten::unbind_copy.int_out", X, 1, outs, outs)
    fails("4 parts, but 2 outs", "aten::split_copy.Tensor_out", X, 1, 2, outs, outs)
    fails("split_size 0 is not valid for size 4", "aten::split_copy.Tensor_out", X, 0, 2, outs, outs)


@pytest.mark.parametrize("bounds", [(0, None, 1), (1, -1, 1), (None, 99, 2), (2, 1, 1)], ids=str)
def test_slice_scatter_follows_pytorch(bounds: tuple[int | None, int | None, int]) -> None:
    for x in (X, ROWS):
        src = random_tensor(torch.ops.aten.slice(x, 1, *bounds).shape, seed=4)
        check(KERNELS, "aten::slice_scatter.out", x, src, 1, *bounds)


def test_select_scatter_follows_pytorch() -> None:
    for dim, index in ((0, 1), (1, -3), (-1, 2)):
        check(KERNELS, "aten::select_scatter.out", X, random_tensor(X.select(dim, index).shape, seed=4), dim, index)
    refused("shape of the part", "aten::select_scatter.out", X, torch.ones(4, 3), 0, 0)
    refused("index 2 is out of range for size 2", "aten::select_scatter.out", X, torch.ones(3, 4), 0, 2)
    refused("shape of the part", "aten::slice_scatter.out", X, torch.ones(2, 1, 4), 1, 0, 2, 1)
    refused("no dimensions", "aten::select_scatter.out", torch.tensor(1.0), torch.tensor(1.0), 0, 0)


@pytest.mark.parametrize("dtype", NUMBERS[1:], ids=str)
def test_arange_follows_pytorch(dtype: torch.dtype) -> None:
    for start, end, step in ((0, 10, 1), (3, 40, 7), (20, 2, -3), (5, 5, 1), (0.5, 4.9, 1.5), (1.9, 7.9, 2.9)):
        check(KERNELS, "aten::arange.start_out", start, end, step, out=dtype)
    for end in (0, 5, 4.5):
        check(KERNELS, "aten::arange.out", end, out=dtype)


def test_arange_lengths_are_exact_and_invalid_ones_refused() -> None:
    check(KERNELS, "aten::arange.start_out", 2**40 + 1, 2**40 + 9, 3, out=torch.int64)
    check(KERNELS, "aten::arange.start_out", 0.0, 1.0, 0.1, out=torch.float64)
    for start, end, step in ((0, 1, 0), (1, 0, 1), (0, 1, -1), (0, float("inf"), 1), (0.0, float("nan"), 1)):
        refused("arange: the range from", "aten::arange.start_out", start, end, step)
    refused("too many", "aten::arange.out", 2**40)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_new_full_tensors_follow_pytorch(dtype: torch.dtype) -> None:
    for size in ([2, 3], [], [0, 2]):
        check(KERNELS, "aten::zeros.out", size, out=dtype)
        check(KERNELS, "aten::ones.out", size, out=dtype)
        out = torch.empty(size, dtype=dtype)
        KERNELS.call("aten::empty.out", size, None, out, out)
        assert list(out.shape) == size


@pytest.mark.parametrize("offset", [2**31, -(2**31), 2**63 - 1, -(2**63)])
def test_triangles_beyond_the_matrix_follow_pytorch(offset: int) -> None:
    check(KERNELS, "aten::tril.out", X, offset)
    check(KERNELS, "aten::triu.out", X, offset)


@pytest.mark.parametrize("offset", [0, 1, -1, 3, -2, 9])
def test_diagonals_and_triangles_follow_pytorch(offset: int) -> None:
    for dims in ((0, 1), (-1, 0), (2, 1)):
        check(KERNELS, "aten::diagonal_copy.out", X, offset, *dims, order=range(2))
    for x in (X, ROWS, X[0], NOTHING):
        check(KERNELS, "aten::tril.out", x, offset)
        check(KERNELS, "aten::triu.out", x, offset)


def test_invalid_diagonals_are_an_error() -> None:
    refused("is repeated", "aten::diagonal_copy.out", X, 0, 1, -2)
    refused("too large", "aten::diagonal_copy.out", X, -(2**63), 0, 1)
    refused("1 dimensions", "aten::triu.out", X[0, 0], 0)


def test_strided_views_follow_pytorch_and_stay_in_bounds() -> None:
    inside = [([2, 3], [1, 4], 2), ([5], [0], 23), ([], [], 3), ([0, 9], [5, 5], 24), ([24], [1], None)]
    for size, stride, offset in inside:
        check(KERNELS, "aten::as_strided_copy.out", X, size, stride, offset)
    for size, stride, offset in (([2, 3], [1, 12], 0), ([24], [1], 1), ([2], [2**62], 0), ([3, 3], [2**62, 2**62], 0)):
        refused("exceeds the 24 elements", "aten::as_strided_copy.out", X, size, stride, offset)
    refused("exceeds the 24 elements", "aten::as_strided_copy.out", X, [1], [0], 24)
    refused("is not in \\[0, 24\\]", "aten::as_strided_copy.out", X, [1], [0], -1)
    refused("size 2, stride -1", "aten::as_strided_copy.out", X, [2], [-1], 4)


def test_unfold_follows_pytorch() -> None:
    for dim, size, step in ((0, 2, 1), (1, 2, 1), (-1, 3, 2), (2, 1, 3), (1, 0, 1)):
        check(KERNELS, "aten::unfold_copy.out", X, dim, size, step, order=range(4))
        check(KERNELS, "aten::unfold_copy.out", ROWS, dim, size, step, order=range(5))
    refused("size 4 is not in \\[0, 3\\]", "aten::unfold_copy.out", X, 1, 4, 1)
    refused("step 0 is not positive", "aten::unfold_copy.out", X, 1, 1, 0)


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_pixel_shuffle_follows_pytorch(factor: int) -> None:
    coarse = random_tensor((2, 2 * factor**2, 3, 4))
    fine = random_tensor((2, 5, 3 * factor, 2 * factor))
    check(KERNELS, "aten::pixel_shuffle.out", coarse, factor)
    check(KERNELS, "aten::pixel_unshuffle.out", fine, factor)
    check(KERNELS, "aten::pixel_shuffle.out", channels_last(coarse), factor, order=(0, 2, 3, 1))
    check(KERNELS, "aten::pixel_unshuffle.out", channels_last(fine), factor, order=range(4))
    check(KERNELS, "aten::pixel_unshuffle.out", fine[0], factor)


def test_pixel_shuffle_of_empty_tensors_follows_pytorch() -> None:
    for shape in ((0, 4, 4), (2, 4, 0, 4), (0, 4, 4, 4), (4, 0, 0)):
        check(KERNELS, "aten::pixel_shuffle.out", torch.empty(shape), 2)
        check(KERNELS, "aten::pixel_unshuffle.out", torch.empty(shape), 2)
    check(KERNELS, "aten::pixel_shuffle.out", torch.empty(1, 2**31 - 1, 0), 1)
    check(KERNELS, "aten::pixel_shuffle.out", torch.empty((2**15 - 1) ** 2, 0, 0), 2**15 - 1)


def test_invalid_pixel_shuffle_is_an_error() -> None:
    refused("size 3 of dimension 1 is not divisible by 49", "aten::pixel_shuffle.out", IMAGE, 7)
    refused("size 4 of dimension 2 is not divisible by 7", "aten::pixel_unshuffle.out", IMAGE, 7)
    refused("size 5 of dimension 3 is not divisible by 2", "aten::pixel_unshuffle.out", IMAGE, 2)
    for name in ("shuffle", "unshuffle"):
        for factor in (0, -1, 2**15, 2**40):
            refused("is not in \\[1, 32767\\]", f"aten::pixel_{name}.out", IMAGE, factor)
        for rank in (2, 15):
            refused(f"has {rank} dimensions", f"aten::pixel_{name}.out", torch.ones([1] * rank), 1)
        refused("dtypes .* differ", f"aten::pixel_{name}.out", IMAGE.to(torch.int32), 1)


def test_squeezing_one_dimension_follows_pytorch() -> None:
    x = random_tensor((1, 3, 1, 4))
    for dim in (0, 1, -2):
        check(KERNELS, "aten::squeeze_copy.dim_out", x, dim)
    check(KERNELS, "aten::squeeze_copy.dim_out", torch.tensor(1.0), 0)


@pytest.mark.parametrize("dtype", INTEGRAL, ids=str)
def test_stacked_dtypes_are_converted(dtype: torch.dtype) -> None:
    check(KERNELS, "aten::stack.out", [X, random_tensor((2, 3, 4), dtype)], 0, out=torch.float32)
