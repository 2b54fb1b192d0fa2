"""Test that elementwise kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import (
    INTEGRAL,
    NUMBERS,
    SPECIAL,
    channels_last,
    check,
    load_kernels,
    random_tensor,
)

KERNELS = load_kernels()
SHAPES = [
    ((3, 4), (3, 4)),
    ((2, 3, 5), (5,)),
    ((4, 1, 3), (2, 1)),
    ((), (2, 2)),
    ((3,), ()),
    ((0, 3), (1, 3)),
    ((130,), (130,)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["aten::add.out", "aten::sub.out", "aten::mul.out", "aten::div.out"])
def test_binary_kernels_broadcast(name: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    alpha = [2] if name in ("aten::add.out", "aten::sub.out") else []
    check(KERNELS, name, random_tensor(shapes[0]), random_tensor(shapes[1], seed=1), *alpha)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_binary_kernels_accept_every_dtype(dtype: torch.dtype) -> None:
    x, y = random_tensor((5, 7), dtype), random_tensor((5, 7), dtype, seed=1)
    check(KERNELS, "aten::add.out", x, y, 1)
    check(KERNELS, "aten::mul.out", x, y)
    check(KERNELS, "aten::div.out", x, y, out=dtype if dtype.is_floating_point else torch.float32)
    if dtype != torch.bool:
        check(KERNELS, "aten::sub.out", x, y, 3)


@pytest.mark.parametrize("other", NUMBERS, ids=str)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int64, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("shape", [(3, 4), ()], ids=str)
def test_operands_are_promoted(dtype: torch.dtype, other: torch.dtype, shape: tuple[int, ...]) -> None:
    x, y = random_tensor((3, 4), dtype), random_tensor(shape, other, seed=1)
    check(KERNELS, "aten::mul.out", x, y, out=torch.result_type(x, y))


@pytest.mark.parametrize("dtype", [torch.bool, torch.int32, torch.float16, torch.float64], ids=str)
@pytest.mark.parametrize("scalar", [3, 2.5, True], ids=repr)
def test_scalars_are_promoted(dtype: torch.dtype, scalar: float) -> None:
    x = random_tensor((3, 4), dtype)
    check(KERNELS, "aten::mul.Scalar_out", x, scalar, out=torch.result_type(x, scalar))


def test_integers_wrap() -> None:
    x = torch.tensor([127, -128, 100], dtype=torch.int8)
    check(KERNELS, "aten::add.out", x, x, 1)
    check(KERNELS, "aten::mul.out", x, x)
    y = torch.tensor([2**63 - 1, -(2**63)])
    check(KERNELS, "aten::add.out", y, y, 1)
    check(KERNELS, "aten::neg.out", y)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64, torch.float16, torch.float32], ids=str)
def test_clamp_limits_follow_pytorch(dtype: torch.dtype) -> None:
    x = torch.tensor(SPECIAL[:-2] if dtype.is_floating_point else [-9, -1, 0, 1, 9]).to(dtype)
    check(KERNELS, "aten::hardtanh.out", x, -1, 2)
    check(KERNELS, "aten::hardtanh.out", x, 2, 1)
    for low, high in [(0, 3), (None, 2), (1, None), (3, -1)]:
        check(KERNELS, "aten::clamp.out", x, low, high)


def test_clamp_to_nan_is_nan() -> None:
    check(KERNELS, "aten::clamp.out", torch.tensor(SPECIAL), float("nan"), 1.0)
    check(KERNELS, "aten::clamp.out", torch.tensor(SPECIAL), None, float("nan"))


def test_clamp_without_limits_is_an_error() -> None:
    x = torch.ones(2)
    with pytest.raises(KernelError, match="both limits are None"):
        KERNELS.call("aten::clamp.out", x, None, None, x.clone(), x.clone())


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_where_selects_and_broadcasts(dtype: torch.dtype) -> None:
    condition = random_tensor((4, 1, 3), torch.bool)
    x, y = random_tensor((2, 3), dtype), random_tensor((), dtype, seed=1)
    check(KERNELS, "aten::where.self_out", condition, x, y, out=dtype)


@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("exponent", [0, 1, 2, 3])
def test_powers_follow_pytorch(dtype: torch.dtype, exponent: int) -> None:
    check(KERNELS, "aten::pow.Tensor_Scalar_out", random_tensor((20,), dtype), exponent)


@pytest.mark.parametrize("exponent", [0.5, -0.5, -1.0, -2, 2.0, 1.7])
def test_real_powers_follow_pytorch(exponent: float) -> None:
    check(KERNELS, "aten::pow.Tensor_Scalar_out", torch.tensor(SPECIAL), exponent)


def test_integer_to_a_negative_power_is_an_error() -> None:
    x = torch.tensor([2])
    with pytest.raises(KernelError, match="negative exponent"):
        KERNELS.call("aten::pow.Tensor_Scalar_out", x, -1, x.clone(), x.clone())


@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_division_rounds_as_pytorch(mode: str | None, dtype: torch.dtype) -> None:
    x = torch.tensor(SPECIAL, dtype=dtype)
    check(KERNELS, "aten::div.out_mode", x[:, None], x[None, :].contiguous(), mode)


@pytest.mark.parametrize("mode", ["floor", "trunc"])
@pytest.mark.parametrize("dtype", INTEGRAL, ids=str)
def test_integer_division_rounds_as_pytorch(mode: str, dtype: torch.dtype) -> None:
    x, y = random_tensor((60,), dtype), random_tensor((60,), dtype, seed=1)
    y[y == 0] = 3
    check(KERNELS, "aten::div.out_mode", x, y, mode)


def test_integer_division_by_zero_is_an_error() -> None:
    x, y = torch.tensor([4, 5]), torch.tensor([1, 0])
    with pytest.raises(KernelError, match="integer division by zero"):
        KERNELS.call("aten::div.out_mode", x, y, "floor", x.clone(), x.clone())


def test_binary_kernels_accept_any_dim_order() -> None:
    x, y = random_tensor((2, 3, 4, 5)), channels_last(random_tensor((2, 3, 4, 5), seed=1))
    check(KERNELS, "aten::add.out", x, y, 1)
    check(KERNELS, "aten::add.out", y, x, 1, order=(0, 2, 3, 1))
    check(KERNELS, "aten::mul.out", y, random_tensor((3, 1, 1), seed=2), order=(0, 2, 3, 1))
    check(KERNELS, "aten::relu.out", y, order=(0, 1, 2, 3))


def test_shapes_that_do_not_broadcast_are_an_error() -> None:
    x, y = torch.ones(2, 3), torch.ones(2, 4)
    with pytest.raises(KernelError, match="dimension 1: sizes 3 and 4 do not broadcast"):
        KERNELS.call("aten::add.out", x, y, 1, x.clone(), x.clone())


def test_out_with_another_dtype_is_an_error() -> None:
    x = torch.ones(2, dtype=torch.int32)
    with pytest.raises(KernelError, match="the result is int32, but out is int64"):
        out = torch.ones(2, dtype=torch.int64)
        KERNELS.call("aten::add.out", x, x, 1, out, out)
