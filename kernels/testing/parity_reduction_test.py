"""Test that reduction kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import DTYPE_CODES, KernelError
from kernels.testing.parity import FLOATING, NUMBERS, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
FLOAT32 = DTYPE_CODES[torch.float32]
X = random_tensor((2, 3, 4))
IMAGE = channels_last(random_tensor((2, 3, 4, 5)))
SPECIAL = torch.tensor([[1.0, float("nan"), 3.0], [float("inf"), float("-inf"), 0.0], [2.0, float("inf"), 2.0]])
DIMS = [None, [], [0], [-1], [0, 2]]


def fails(message: str, name: str, *arguments: object) -> None:
    with pytest.raises(KernelError, match=message):
        KERNELS.call(name, *arguments)


@pytest.mark.parametrize("dims", DIMS, ids=str)
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_sum_follows_pytorch(dtype: torch.dtype, dims: list[int] | None) -> None:
    out = dtype if dtype.is_floating_point else torch.int64
    check(KERNELS, "aten::sum.IntList_out", random_tensor((2, 3, 4), dtype), dims, False, None, out=out)
    check(KERNELS, "aten::sum.IntList_out", random_tensor((2, 3, 4), dtype), dims, True, FLOAT32, out=torch.float32)


def test_sum_handles_empty_and_special_values_of_any_layout() -> None:
    check(KERNELS, "aten::sum.IntList_out", IMAGE, [1, 3], False, None, order=range(2))
    check(KERNELS, "aten::sum.IntList_out", SPECIAL, [1], False, None)
    check(KERNELS, "aten::sum.IntList_out", torch.empty(2, 0), [1], False, None)
    check(KERNELS, "aten::sum.IntList_out", torch.tensor(3.0), [-1], True, None)
    check(KERNELS, "aten::sum.IntList_out", torch.tensor([2**62, 2**62, 5]), None, False, None)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_sum_and_prod_to_bool_are_logical(dtype: torch.dtype) -> None:
    x = torch.tensor([[256.0, 0.25, 0.0], [1.0, -1.0, 0.0]]).to(dtype)
    for dims in (None, [0], [1]):
        check(KERNELS, "aten::sum.IntList_out", x, dims, False, None, out=torch.bool)
        check(KERNELS, "aten::sum.IntList_out", x, dims, True, DTYPE_CODES[torch.bool], out=torch.bool)
    for dim in (0, 1):
        check(KERNELS, "aten::prod.int_out", x, dim, False, DTYPE_CODES[torch.bool], out=torch.bool)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("name", ["amax", "amin"])
def test_reduced_extrema_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    x = random_tensor((2, 3, 4), dtype)
    for dims in DIMS[1:]:
        check(KERNELS, f"aten::{name}.out", x, dims, True)
    side = name[1:]
    check(KERNELS, f"aten::{side}.unary_out", x)
    for dim in (0, -1):
        check(KERNELS, f"aten::{side}.dim_{side}", x, dim, False, out=(dtype, torch.int64))


@pytest.mark.parametrize("side", ["max", "min"])
def test_reduced_extrema_handle_special_values_of_any_layout(side: str) -> None:
    along = f"aten::{side}.dim_{side}"
    zeros, wide = torch.tensor([[0.0, -0.0], [-0.0, 0.0]]), torch.tensor([[2**62 + 1, 2**62], [-(2**63), 2**63 - 1]])
    for x in (SPECIAL, zeros, wide):
        check(KERNELS, f"aten::a{side}.out", x, [1], False)
        check(KERNELS, along, x, 1, False, out=(x.dtype, torch.int64))
        check(KERNELS, f"aten::arg{side}.out", x, 1, True, out=torch.int64)
    check(KERNELS, along, IMAGE, 1, True, out=(torch.float32, torch.int64), order=range(4))
    check(KERNELS, along, torch.tensor(3.0), 0, True, out=(torch.float32, torch.int64))
    check(KERNELS, along, torch.empty(0, 2), 1, False, out=(torch.float32, torch.int64))


@pytest.mark.parametrize("dtype", NUMBERS[1:], ids=str)
def test_argmin_follows_pytorch(dtype: torch.dtype) -> None:
    x = random_tensor((2, 3, 4), dtype)
    for dim in (None, 0, -1):
        check(KERNELS, "aten::argmin.out", x, dim, False, out=torch.int64)
    check(KERNELS, "aten::argmin.out", IMAGE, None, False, out=torch.int64)


def test_extrema_of_an_empty_tensor_are_an_error() -> None:
    empty, out, indices = torch.empty(2, 0), torch.empty(2), torch.empty(2, dtype=torch.int64)
    fails("the input has no elements", "aten::amax.out", empty, [1], False, out, out)
    fails("the input has no elements", "aten::amin.out", empty, [1], False, out, out)
    fails("the input has no elements", "aten::max.unary_out", empty, out[0].clone(), out[0].clone())
    fails("the input has no elements", "aten::min.dim_min", empty, 1, False, out, indices, [out, indices])
    fails("dtypes float32 and int64 differ", "aten::amax.out", X, [1], False, indices, indices)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_prod_follows_pytorch(dtype: torch.dtype) -> None:
    out = dtype if dtype.is_floating_point else torch.int64
    x = random_tensor((2, 3, 4), dtype)
    for dim in (0, -1):
        check(KERNELS, "aten::prod.int_out", x, dim, False, None, out=out)
    check(KERNELS, "aten::prod.out", x, None, out=out)
    check(KERNELS, "aten::prod.out", torch.empty(0), None)
    fails(
        "dtype 6 is not the dtype of out",
        "aten::prod.out",
        x,
        FLOAT32,
        torch.empty((), dtype=torch.int64),
        blank_indices(()),
    )


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_any_along_dims_follows_pytorch(dtype: torch.dtype) -> None:
    x = random_tensor((2, 3, 4), dtype) * (random_tensor((2, 3, 4), seed=5) > 1.5).to(dtype)
    reference = lambda *a: torch.ops.aten.any.dims(a[0] != 0, *a[1:])
    for dims in DIMS:
        check(KERNELS, "aten::any.dims_out", x, dims, False, out=torch.bool, reference=reference)
    check(KERNELS, "aten::any.all_out", x, out=torch.bool, reference=lambda x: (x != 0).any())
    check(KERNELS, "aten::any.all_out", torch.empty(0), out=torch.bool)
    check(KERNELS, "aten::any.all_out", torch.tensor([float("nan")]), out=torch.bool)


def test_any_of_uint8_returns_uint8() -> None:
    x = random_tensor((2, 3, 4), torch.uint8) * (random_tensor((2, 3, 4), seed=5) > 1.0)
    check(KERNELS, "aten::any.out", x, 1, True, out=torch.uint8)
    check(KERNELS, "aten::any.all_out", x, out=torch.uint8)
    for dims in DIMS:
        check(KERNELS, "aten::any.dims_out", x, dims, False, out=torch.uint8)


def test_any_with_another_out_dtype_is_an_error() -> None:
    out = torch.empty(2, 3, 4)
    fails("float32 to float32", "aten::any.dims_out", X, [], False, out, out)
    fails("float32 to float32", "aten::any.out", X, 0, False, out, out)
    fails("float32 to uint8", "aten::any.out", X, 0, False, out.byte(), out.byte())


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("dims", DIMS, ids=str)
def test_variance_follows_pytorch(dims: list[int] | None, dtype: torch.dtype) -> None:
    x = random_tensor((2, 3, 4), dtype)
    check(KERNELS, "aten::var.out", x, dims, False, True)
    for correction in (None, 0, 1.5, 30):
        check(KERNELS, "aten::var.correction_out", x, dims, correction, False)
        check(KERNELS, "aten::var_mean.correction_out", x, dims, correction, True, out=(dtype, dtype))


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("correction", [None, 0, 1, 0.5, -1])
def test_variance_and_mean_of_empty_tensors_are_nan(correction: float | None) -> None:
    for shape, dims in (((0,), None), ((0, 3), [0]), ((0, 3), [1]), ((3, 0), [0, 1])):
        nothing = torch.empty(shape)
        check(KERNELS, "aten::var.correction_out", nothing, dims, correction, False)
        check(
            KERNELS,
            "aten::var_mean.correction_out",
            nothing,
            dims,
            correction,
            True,
            out=(torch.float32, torch.float32),
        )


def test_variance_handles_single_and_empty_tensors_of_any_layout() -> None:
    check(KERNELS, "aten::var.out", torch.ones(2, 1), [1], True, False)
    check(KERNELS, "aten::var.out", torch.ones(2, 0), [1], True, False)
    check(KERNELS, "aten::var_mean.correction_out", IMAGE, [1], 1, True, out=(torch.float32, torch.float32))
    far = torch.full((4,), 1e6) + random_tensor((4,))
    check(KERNELS, "aten::var.out", far, None, True, False, reference=lambda x, *_: x.double().var().float())


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_cumsum_follows_pytorch(dtype: torch.dtype) -> None:
    out = dtype if dtype.is_floating_point else torch.int64
    x = random_tensor((3, 100), dtype)
    for dim in (0, -1):
        check(KERNELS, "aten::cumsum.out", x, dim, None, out=out)
    check(KERNELS, "aten::cumsum.out", x, 1, FLOAT32, out=torch.float32, tolerance=(1e-4, 1e-4))


def test_cumsum_handles_empty_and_special_values_of_any_layout() -> None:
    check(KERNELS, "aten::cumsum.out", IMAGE, 1, None, order=range(4))
    check(KERNELS, "aten::cumsum.out", SPECIAL, 0, None)
    check(KERNELS, "aten::cumsum.out", torch.tensor(3.0), 0, None)
    check(KERNELS, "aten::cumsum.out", torch.empty(2, 0), 1, None)
    fails("axis 2 is not in", "aten::cumsum.out", SPECIAL, 2, None, SPECIAL.clone(), SPECIAL.clone())


def distinct(dtype: torch.dtype) -> torch.Tensor:
    """Return a [3, 40] tensor of distinct elements per row, for unique results."""
    order = torch.stack([torch.randperm(40, generator=torch.Generator().manual_seed(i)) for i in range(3)])
    return (order if dtype == torch.uint8 else order - 20).to(dtype)


@pytest.mark.parametrize("dtype", NUMBERS[1:], ids=str)
@pytest.mark.parametrize("largest", [True, False])
def test_topk_follows_pytorch(largest: bool, dtype: torch.dtype) -> None:
    x = distinct(dtype)
    for k in (0, 1, 7, 40):
        check(KERNELS, "aten::topk.values", x, k, 1, largest, True, out=(dtype, torch.int64))
    columns = x.t().contiguous()
    check(KERNELS, "aten::topk.values", columns, 3, 0, largest, True, out=(dtype, torch.int64), order=(1, 0))


def test_topk_puts_nan_above_infinity_and_equal_elements_in_order() -> None:
    x = torch.tensor([1.0, float("nan"), float("inf"), 1.0, float("-inf"), 1.0])
    values, indices = torch.empty(5), blank_indices((5,))
    KERNELS.call("aten::topk.values", x, 5, 0, True, True, values, indices, [values, indices])
    assert indices.tolist() == [1, 2, 0, 3, 5]
    KERNELS.call("aten::topk.values", x, 5, 0, False, True, values, indices, [values, indices])
    assert indices.tolist() == [4, 0, 3, 5, 2]
    check(KERNELS, "aten::topk.values", torch.tensor(2.0), 1, 0, True, True, out=(torch.float32, torch.int64))
    for k in (-1, 7):
        fails("is not in \\[0, 6\\]", "aten::topk.values", x, k, 0, True, True, values, indices, [values, indices])


def blank_indices(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.empty(shape, dtype=torch.int64)
