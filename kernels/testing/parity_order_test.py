"""Test that sorting, searching and scan kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import FLOATING, INTEGRAL, NUMBERS, SPECIAL, check, load_kernels, random_tensor

KERNELS = load_kernels()
PLACED = (torch.float32, torch.int64)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_stable_sorting_follows_pytorch(dtype: torch.dtype, descending: bool) -> None:
    x = random_tensor((3, 70, 4), dtype)  # 8-bit and bool values repeat
    for dim in (0, 1, -1):
        check(KERNELS, "aten::sort.values_stable", x, True, dim, descending, out=(dtype, torch.int64))


@pytest.mark.parametrize("length", [0, 1, 2, 3, 31, 1000])
def test_sorting_any_length_follows_pytorch(length: int) -> None:
    x = random_tensor((2, length))
    for descending in (False, True):
        check(KERNELS, "aten::sort.values", x, -1, descending, out=PLACED)
    check(KERNELS, "aten::sort.values", torch.tensor(2.5), 0, True, out=PLACED)


def test_sorting_large_integers_is_exact() -> None:
    x = torch.tensor([2**53, 2**53 + 1, 2**62 + 1, 2**62, -(2**62), -(2**62) - 1])
    for descending in (False, True):
        check(KERNELS, "aten::sort.values_stable", x, True, 0, descending, out=(torch.int64, torch.int64))
        check(KERNELS, "aten::topk.values", x, 3, 0, descending, True, out=(torch.int64, torch.int64))


def test_sorting_puts_nan_last_and_keeps_the_order_of_equals() -> None:
    x = torch.tensor([*SPECIAL, *SPECIAL])
    for descending in (False, True):
        check(KERNELS, "aten::sort.values_stable", x, True, 0, descending, out=PLACED)


@pytest.mark.parametrize("k", [0, 1, 7, 64, 100])
def test_topk_of_a_long_row_follows_pytorch(k: int) -> None:
    x = torch.randperm(100, generator=torch.Generator().manual_seed(1)).float().repeat(2, 1)
    for largest in (False, True):
        check(KERNELS, "aten::topk.values", x, k, 1, largest, True, out=PLACED)


@pytest.mark.parametrize("k", [0, 1])
def test_topk_of_a_zero_dimensional_tensor_is_its_element(k: int) -> None:
    check(KERNELS, "aten::topk.values", torch.tensor(2.5), k, -1, True, True, out=PLACED)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_cummax_and_cummin_follow_pytorch(dtype: torch.dtype, name: str) -> None:
    for dim in (0, -1):
        check(KERNELS, f"aten::{name}.out", random_tensor((3, 40), dtype), dim, out=(dtype, torch.int64))
    check(KERNELS, f"aten::{name}.out", torch.tensor(SPECIAL), 0, out=PLACED)


@pytest.mark.parametrize("dtype", [*INTEGRAL, torch.bool], ids=str)
def test_cumprod_of_integers_follows_pytorch(dtype: torch.dtype) -> None:
    check(KERNELS, "aten::cumprod.out", random_tensor((3, 40), dtype), 1, None, out=torch.int64)


def test_cumprod_and_logcumsumexp_follow_pytorch() -> None:
    x = random_tensor((3, 100, 2))
    for dim in (0, 1, -1):
        check(KERNELS, "aten::cumprod.out", x, dim, None)
        check(KERNELS, "aten::logcumsumexp.out", x * 50, dim)
    for special in ((-1e30, 3.0, float("inf"), 2.0), (float("-inf"), float("-inf"), 1.0, float("nan"), 2.0)):
        check(KERNELS, "aten::logcumsumexp.out", torch.tensor(special), 0)
    check(KERNELS, "aten::logcumsumexp.out", random_tensor((2, 130)), 1)  # longer than a chunk


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", [*INTEGRAL, *FLOATING], ids=str)
def test_searchsorted_follows_pytorch(dtype: torch.dtype, right: bool) -> None:
    rows, values = random_tensor((2, 3, 20), dtype), random_tensor((2, 3, 9), dtype, seed=1)
    ordered, sorter = rows.sort(-1)
    name = "aten::searchsorted.Tensor_out"
    check(KERNELS, name, ordered, values, False, right, None, None, out=torch.int64)
    check(KERNELS, name, ordered, ordered, False, right, None, None, out=torch.int64)
    check(KERNELS, name, rows, values, True, False, "right" if right else "left", sorter, out=torch.int32)
    check(KERNELS, name, ordered[0, 0].contiguous(), values, False, right, None, None, out=torch.int64)


def test_searchsorted_handles_boundaries() -> None:
    sequence = torch.tensor([float("-inf"), 0.0, 1.0, float("inf"), float("nan")])
    for right in (False, True):
        check(KERNELS, "aten::searchsorted.Tensor_out", sequence, sequence, False, right, None, None, out=torch.int64)
        for values in (torch.empty(0), torch.tensor(1.0)):
            rest = (False, right, None, None)
            check(KERNELS, "aten::searchsorted.Tensor_out", sequence, values, *rest, out=torch.int64)
            check(KERNELS, "aten::searchsorted.Tensor_out", torch.empty(0), values, *rest, out=torch.int64)


def test_invalid_searchsorted_is_an_error() -> None:
    x, out = torch.ones(2, 3), torch.empty(2, 3, dtype=torch.int64)
    wrong = [
        (torch.ones(3, 3), None, "dimension 0: the sequence has size 3, the values have 2"),
        (torch.ones(1, 2, 3), None, "the sequence has 3 dimensions, the values have 2"),
        (torch.ones(3), torch.tensor([0, 1, 3]), "index 3 at position 2 is not in"),
        (torch.ones(3), torch.tensor([0, 1]), "the shapes of sorter and sequence differ"),
    ]
    for sequence, sorter, message in wrong:
        with pytest.raises(KernelError, match=message):
            KERNELS.call("aten::searchsorted.Tensor_out", sequence, x, False, False, None, sorter, out, out)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_histograms_follow_pytorch(dtype: torch.dtype) -> None:
    x = random_tensor((5, 40), dtype)
    for bins, low, high in ((4, -1, 1), (7, 0, 0), (1, -9.5, 0.25), (100, 0, 3)):
        check(KERNELS, "aten::histc.out", x, bins, low, high)
    check(KERNELS, "aten::histc.out", torch.full((3,), 2.0, dtype=dtype), 4, 0, 0)
    check(KERNELS, "aten::histc.out", torch.empty(0, dtype=dtype), 3, 0, 0)
    edges = torch.tensor([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 1.1, -0.1, float("nan")], dtype=dtype)
    check(KERNELS, "aten::histc.out", edges, 10, 0, 1)


def test_invalid_histograms_are_an_error() -> None:
    out = torch.empty(4)
    for x, bins, low, high, message in (
        (torch.ones(2), 0, 0, 1, "bins is 0"),
        (torch.ones(2), 2, 1, 0, r"range \[1, 0\]"),
        (torch.tensor([1.0, float("nan")]), 2, 0, 0, "not finite"),
        (torch.tensor([1.0, float("inf")]), 2, 0, 0, "not finite"),
    ):
        with pytest.raises(KernelError, match=message):
            KERNELS.call("aten::histc.out", x, bins, low, high, out, out)


@pytest.mark.parametrize("include_self", [False, True])
@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
@pytest.mark.parametrize("dtype", [torch.int8, torch.int64, torch.float32, torch.float64], ids=str)
def test_scatter_reduce_follows_pytorch(dtype: torch.dtype, reduce: str, include_self: bool) -> None:
    x, source = random_tensor((3, 4), dtype), random_tensor((3, 9), dtype, seed=1)
    for size in (4, 1):
        index = torch.arange(27).reshape(3, 9) * 5 % size
        check(KERNELS, "aten::scatter_reduce.two_out", x, 1, index, source, reduce, include_self)
    empty = torch.empty(0, 0, dtype=torch.int64)
    check(KERNELS, "aten::scatter_reduce.two_out", x, 1, empty, source, reduce, include_self)


def test_scatter_reduce_propagates_nan() -> None:
    x, source = torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([float("nan"), 2.0, 5.0])
    for reduce in ("amax", "amin"):
        for include_self in (False, True):
            rest = (reduce, include_self)
            check(KERNELS, "aten::scatter_reduce.two_out", x, 0, torch.tensor([0, 1, 1]), source, *rest)


def test_invalid_scatter_reduce_is_an_error() -> None:
    x, index = torch.ones(3), torch.tensor([0, 1, 2])
    for source, indices, reduce, message in (
        (torch.ones(3), index, "median", "use sum, prod, amax or amin"),
        (torch.ones(2), index, "sum", "src has size 2, index 3"),
        (torch.ones(3), index + 1, "sum", "index 3 at position 2 is not in"),
    ):
        with pytest.raises(KernelError, match=message):
            KERNELS.call("aten::scatter_reduce.two_out", x, 0, indices, source, reduce, False, x.clone(), x.clone())
