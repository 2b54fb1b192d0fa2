"""Test that indexing, masking and padding kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import NUMBERS, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
X = random_tensor((3, 4, 5))
IMAGE = random_tensor((2, 3, 4, 5))
ROWS = channels_last(IMAGE)
NOTHING = torch.empty(0, dtype=torch.int64)
REPEAT = torch.repeat_interleave


def fails(message: str, name: str, *arguments: object) -> None:
    with pytest.raises(KernelError, match=message):
        KERNELS.call(name, *arguments)


def refused(message: str, name: str, *arguments: object) -> None:
    out = torch.empty(9, 9, 9)
    fails(message, name, *arguments, out, out)


def indices(shape: tuple[int, ...], size: int, dim: int) -> torch.Tensor:
    """Return indices in [0, size), each at most once along `dim`."""
    generator = torch.Generator().manual_seed(len(shape) + size)
    order = torch.rand((*shape[:dim], size, *shape[dim + 1 :]), generator=generator).argsort(dim)
    return order.narrow(dim, 0, shape[dim]).contiguous()


CASES = [(0, (2, 4, 5)), (1, (3, 4, 2)), (2, (1, 2, 3)), (-1, (3, 4, 5))]


@pytest.mark.parametrize(("dim", "shape"), CASES, ids=str)
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_gather_and_scatter_follow_pytorch(dtype: torch.dtype, dim: int, shape: tuple[int, ...]) -> None:
    x, source = random_tensor((3, 4, 5), dtype), random_tensor((3, 4, 5), dtype, seed=2)
    index = indices(shape, x.shape[dim], dim % 3)
    check(KERNELS, "aten::gather.out", x, dim, index, False)
    check(KERNELS, "aten::scatter.src_out", x, dim, index, source)
    check(KERNELS, "aten::scatter.value_out", x, dim, index, 1)
    check(KERNELS, "aten::scatter_add.out", x, dim, index, source)


def test_gather_and_scatter_in_any_layout() -> None:
    index = indices((2, 2, 4, 5), 3, 1)
    for order in (range(4), (0, 2, 3, 1)):
        check(KERNELS, "aten::gather.out", ROWS, 1, index, False, order=order)
        check(KERNELS, "aten::scatter.src_out", ROWS, 1, index, IMAGE, order=order)
        check(KERNELS, "aten::scatter_add.out", ROWS, 1, channels_last(index), IMAGE, order=order)


def test_repeated_indices_accumulate() -> None:
    index = torch.tensor([0, 2, 0, 0])
    check(KERNELS, "aten::scatter_add.out", torch.ones(3), 0, index, torch.tensor([1.0, 2.0, 3.0, 4.0]))
    check(KERNELS, "aten::gather.out", torch.arange(3.0), 0, index, False)


def test_gather_and_scatter_accept_empty_and_zero_dimensional_tensors() -> None:
    one, zero = torch.tensor(3.0), torch.tensor(0)
    check(KERNELS, "aten::gather.out", one, 0, zero, False)
    check(KERNELS, "aten::scatter.value_out", one, 0, zero, 2.5)
    check(KERNELS, "aten::gather.out", torch.ones(3), 0, NOTHING, False)
    check(KERNELS, "aten::gather.out", X, 1, torch.empty(9, 0, 5, dtype=torch.int64), False)
    check(KERNELS, "aten::scatter.src_out", X, 0, NOTHING, torch.empty(0))


def test_indices_out_of_range_are_an_error() -> None:
    for value in (-1, 3, 2**62, -(2**63)):
        wrong = torch.full((1, 1, 1), value)
        refused("is not in \\[0, 3\\)", "aten::gather.out", X, 0, wrong, False)
        refused("is not in \\[0, 3\\)", "aten::scatter.src_out", X, 0, wrong, X)
        refused("is not in \\[0, 3\\)", "aten::scatter.value_out", X, 0, wrong, 1.0)
        refused("is not in \\[0, 3\\)", "aten::scatter_add.out", X, 0, wrong, X)
        refused("is not in \\[0, 3\\)", "aten::index_select.out", X, 0, wrong.reshape(1))


def test_invalid_gathers_and_scatters_are_an_error() -> None:
    index = torch.zeros(3, 4, 5, dtype=torch.int64)
    refused("index has 2 dimensions, self 3", "aten::gather.out", X, 0, index[0], False)
    refused("dimension 1: index has size 4, self 2", "aten::gather.out", X[:, :2].contiguous(), 0, index, False)
    refused("dimension 0: src has size 1, index 3", "aten::scatter.src_out", X, 0, index, X[:1])
    refused("src has 2 dimensions", "aten::scatter_add.out", X, 0, index, X[0])
    refused("indices are float32", "aten::gather.out", X, 0, X, False)
    refused("dtypes float64 and float32 differ", "aten::scatter.src_out", X, 0, index, X.double())


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_index_select_follows_pytorch(dtype: torch.dtype) -> None:
    x = random_tensor((3, 4, 5), dtype)
    for dim in (0, 1, -1):
        for index in (torch.tensor([2, 0, 2]), torch.tensor([1], dtype=torch.int32), NOTHING):
            check(KERNELS, "aten::index_select.out", x, dim, index)
    rows = channels_last(random_tensor((2, 3, 4, 5), dtype))
    check(KERNELS, "aten::index_select.out", rows, 1, torch.tensor([1, 0]), order=range(4))


MASKS = [X > 0, X[0] > 0, torch.zeros(3, 1, 1, dtype=torch.bool), torch.tensor(True)]


@pytest.mark.parametrize("mask", MASKS, ids=range(len(MASKS)))
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_masked_select_and_masked_scatter_follow_pytorch(dtype: torch.dtype, mask: torch.Tensor) -> None:
    x, source = random_tensor((3, 4, 5), dtype), random_tensor((80,), dtype, seed=2)
    check(KERNELS, "aten::masked_select.out", x, mask)
    check(KERNELS, "aten::masked_scatter.out", x, mask, source)


def test_masked_scatter_may_use_the_complete_source() -> None:
    mask = X > 0
    check(KERNELS, "aten::masked_scatter.out", X, mask, random_tensor((int(mask.sum()),), seed=2))


def test_masks_broadcast_self_and_accept_any_layout() -> None:
    check(KERNELS, "aten::masked_select.out", torch.tensor([1.0, 2.0]), random_tensor((3, 2), torch.bool))
    check(KERNELS, "aten::masked_select.out", ROWS, IMAGE > 0)
    check(KERNELS, "aten::masked_scatter.out", ROWS, IMAGE > 0, IMAGE, order=range(4))


def test_invalid_masks_are_an_error() -> None:
    refused("the mask is not bool", "aten::masked_select.out", X, X)
    refused("do not broadcast", "aten::masked_select.out", X, torch.ones(2, dtype=torch.bool))
    column = torch.ones(65536, 1)
    refused("the result is too large", "aten::masked_select.out", column, column.reshape(1, -1).bool())
    refused("source has 2 elements, mask selects 60", "aten::masked_scatter.out", X, torch.tensor(True), torch.ones(2))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_repeat_interleave_follows_pytorch(dtype: torch.dtype) -> None:
    for repeats in ([2, 0, 3], [], [0]):
        tensor = torch.tensor(repeats, dtype=dtype)
        for size in (None, sum(repeats)):
            check(KERNELS, "aten::repeat_interleave.Tensor_out", tensor, size, reference=lambda x, _: REPEAT(x))


def test_invalid_repeat_counts_are_an_error() -> None:
    out = torch.empty(9, dtype=torch.int64)
    for repeats in ([1, -1], [2**31], [2**31 - 1, 1], [2**62, 2**62]):
        fails("negative or too large", "aten::repeat_interleave.Tensor_out", torch.tensor(repeats), None, out, out)
    fails("int64 to int32", "aten::repeat_interleave.Tensor_out", torch.tensor([1, 2]), None, out.int(), out.int())
    fails(
        "output_size is 4, but repeats add up to 3",
        "aten::repeat_interleave.Tensor_out",
        torch.tensor([1, 2]),
        4,
        out,
        out,
    )


PADDINGS = [[1, 2], [0, 0], [1, 1, 2, 1], [2, 0, 0, 3], [1, 0, 1, 1, 0, 1], [3, 2, 1, 2, 1, 1]]


@pytest.mark.parametrize("padding", PADDINGS, ids=str)
@pytest.mark.parametrize("rule", ["reflection", "replication"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.bfloat16], ids=str)
def test_reflection_and_replication_padding_follow_pytorch(dtype: torch.dtype, rule: str, padding: list[int]) -> None:
    dims = len(padding) // 2
    for leading in ((2,), (2, 3)):
        x = random_tensor((*leading, *(3, 4, 5)[-dims:]), dtype)
        if rule == "replication" and dtype == torch.int64:
            x = x.double()
        check(KERNELS, f"aten::{rule}_pad{dims}d.out", x, padding)


def test_negative_padding_crops_and_accepts_any_layout() -> None:
    for rule in ("reflection", "replication"):
        check(KERNELS, f"aten::{rule}_pad1d.out", X, [-1, 2])
        check(KERNELS, f"aten::{rule}_pad1d.out", X, [2, -4])
        check(KERNELS, f"aten::{rule}_pad2d.out", IMAGE, [-3, 2, 1, -2])
        check(KERNELS, f"aten::{rule}_pad2d.out", ROWS, [1, 2, 3, 0])
    check(KERNELS, "aten::replication_pad1d.out", X, [7, 9])


def test_invalid_paddings_are_an_error() -> None:
    refused("padding \\(5, 0\\) is not valid for size 5", "aten::reflection_pad1d.out", X, [5, 0])
    refused("padding \\(0, 5\\) is not valid for size 5", "aten::reflection_pad1d.out", X, [0, 5])
    refused("would have size 0", "aten::replication_pad1d.out", X, [-3, -2])
    refused("would have size", "aten::replication_pad1d.out", X, [2**31 - 1, 2**31 - 1])
    refused("is not in", "aten::replication_pad1d.out", X, [2**40, 0])
    refused("has 3 elements, expected 4", "aten::reflection_pad2d.out", X, [1, 1, 1])
    refused("4 dimensions, expected 2 to 3", "aten::reflection_pad1d.out", IMAGE, [1, 1])
    refused("is not valid for size 0", "aten::replication_pad1d.out", torch.empty(2, 0), [1, 1])


@pytest.mark.parametrize("side", ["tril", "triu"])
def test_triangle_indices_follow_pytorch(side: str) -> None:
    for rows, columns in ((0, 0), (0, 3), (3, 0), (1, 1), (4, 3), (3, 4)):
        for diagonal in (-9, -2, -1, 0, 1, 9):
            given = (rows, columns, diagonal)
            for dtype in (torch.int32, torch.int64):
                expected = getattr(torch, f"{side}_indices")(*given, dtype=dtype)
                out = torch.empty(2, expected.shape[1] + 1, dtype=dtype)
                KERNELS.call(f"aten::{side}_indices.out", *given, out, out)
                assert torch.equal(out, expected), given


def test_triangle_of_an_invalid_matrix_is_an_error() -> None:
    out = torch.empty(2, 1, dtype=torch.int64)
    with pytest.raises(KernelError, match="tril_indices: size -1 x 3 is out of range"):
        KERNELS.call("aten::tril_indices.out", -1, 3, 0, out, out)
    with pytest.raises(KernelError, match="triu_indices: 4295098369 indices are too many"):
        KERNELS.call("aten::triu_indices.out", 65537, 65537, -70000, out, out)
