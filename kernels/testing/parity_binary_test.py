"""Test that binary elementwise kernels match PyTorch, with tensors and scalars."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import FLOATING, INTEGRAL, NUMBERS, SPECIAL, check, load_kernels, random_tensor

KERNELS = load_kernels()
COMPARISONS = "eq ne lt le gt ge".split()
ARITHMETIC = (*INTEGRAL, *FLOATING)
SCALARS = (3, -2, 2.5, True)


def pair(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two tensors that broadcast; floating tensors pair all special values."""
    if dtype.is_floating_point:
        return torch.tensor(SPECIAL).to(dtype)[:, None], torch.tensor(SPECIAL).to(dtype)
    return random_tensor((7, 11), dtype), random_tensor((11,), dtype, seed=1)


def divisors(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return `pair(dtype)` without integer zeros in the second tensor."""
    x, y = pair(dtype)
    return x, y if dtype.is_floating_point else torch.where(y == 0, 3, y)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    x, y = pair(dtype)
    check(KERNELS, f"aten::{name}.Tensor_out", x, y, out=torch.bool)
    for scalar in (0, 1, 0.5, -3, float("inf"), float("-inf"), float("nan")):
        check(KERNELS, f"aten::{name}.Scalar_out", x, scalar, out=torch.bool)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_convert_to_the_common_dtype_first(name: str) -> None:
    half, byte = torch.tensor([0.1, 0.2], dtype=torch.float16), torch.tensor([1, 44], dtype=torch.uint8)
    check(KERNELS, f"aten::{name}.Scalar_out", half, 0.1, out=torch.bool)
    check(KERNELS, f"aten::{name}.Scalar_out", byte, 300, out=torch.bool)
    check(KERNELS, f"aten::{name}.Tensor_out", byte, torch.tensor(257), out=torch.bool)
    check(KERNELS, f"aten::{name}.Tensor_out", half, torch.tensor(0.1), out=torch.bool)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logic_follows_pytorch(name: str, dtype: torch.dtype) -> None:
    check(KERNELS, f"aten::{name}.out", *pair(dtype), out=torch.bool)
    check(KERNELS, f"aten::{name}.out", random_tensor((11,), torch.int8), pair(dtype)[0], out=torch.bool)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_elementwise_extrema_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    x, y = pair(dtype)
    check(KERNELS, f"aten::{name}.out", x, y)
    check(KERNELS, f"aten::{name}.out", x, torch.tensor(1.5), out=torch.result_type(x, torch.tensor(1.5)))


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int32, *FLOATING], ids=str)
@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
def test_arithmetic_accepts_scalars(scalar: float, dtype: torch.dtype) -> None:
    x = random_tensor((5, 30), dtype)
    common = torch.result_type(x, scalar)
    check(KERNELS, "aten::add.Scalar_out", x, scalar, 1, out=common)
    check(KERNELS, "aten::mul.Scalar_out", x, scalar, out=common)
    quotient = common if common.is_floating_point else torch.float32
    check(KERNELS, "aten::div.Scalar_out", x, scalar, out=quotient)
    check(KERNELS, "aten::div.Scalar_mode_out", x, scalar, None, out=quotient)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("scalar", [100000, 1e-8, 0.3, -1e9, 1000.7])
def test_binary_kernels_keep_float32_scalars_for_float16(scalar: float, dtype: torch.dtype) -> None:
    rows = random_tensor((3, 130), dtype, seed=2) * 100
    exact: dict[str, Any] = {"tolerance": (0.0, 0.0)}
    for x in (rows, rows[0, 0], rows.T[::2].contiguous()):
        check(KERNELS, "aten::mul.Scalar_out", x, scalar, **exact)
        check(KERNELS, "aten::div.Scalar_out", x, scalar, **exact)
    for number in (torch.tensor(scalar), torch.tensor(scalar, dtype=torch.float64), torch.tensor(int(scalar) or 7)):
        check(KERNELS, "aten::mul.out", rows, number, **exact)
        check(KERNELS, "aten::mul.out", number, rows, out=dtype, **exact)
        check(KERNELS, "aten::div.out", rows, number, **exact)
        check(KERNELS, "aten::div.out", number, rows, out=dtype, **exact)
        check(KERNELS, "aten::floor_divide.out", rows, number, **exact)
    for mode in ("floor", "trunc"):
        check(KERNELS, "aten::div.Scalar_mode_out", rows, scalar, mode, **exact)


@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
@pytest.mark.parametrize("scalar", [3, -2, 2.5])
@pytest.mark.parametrize("alpha", [1, 3])
def test_subtraction_accepts_scalars(alpha: int, scalar: float, dtype: torch.dtype) -> None:
    x = random_tensor((5, 30), dtype)
    check(KERNELS, "aten::add.Scalar_out", x, scalar, alpha, out=torch.result_type(x, scalar))
    check(KERNELS, "aten::sub.Scalar_out", x, scalar, alpha, out=torch.result_type(x, scalar))
    check(KERNELS, "aten::rsub.Scalar_out", x, scalar, alpha, out=torch.result_type(x, scalar))


@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
@pytest.mark.parametrize("name", ["fmod.Tensor_out", "remainder.Tensor_out", "floor_divide.out"])
def test_remainders_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    check(KERNELS, f"aten::{name}", *divisors(dtype))


@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
def test_remainders_accept_scalars(scalar: float, dtype: torch.dtype) -> None:
    x = random_tensor((60,), dtype)
    common = torch.result_type(x, scalar)
    check(KERNELS, "aten::fmod.Scalar_out", x, scalar, out=common)
    check(KERNELS, "aten::remainder.Scalar_out", x, scalar, out=common)
    for mode in ("floor", "trunc"):
        check(KERNELS, "aten::div.Scalar_mode_out", x, scalar, mode, out=common)


@pytest.mark.parametrize("name", ["fmod", "remainder"])
def test_division_of_the_smallest_integer_wraps(name: str) -> None:
    x = torch.tensor([-(2**63), 2**63 - 1])
    check(KERNELS, f"aten::{name}.Scalar_out", x, -1)
    check(KERNELS, "aten::floor_divide.out", x, torch.tensor([-1, -1]))


@pytest.mark.parametrize("name", ["fmod.Tensor_out", "remainder.Tensor_out", "floor_divide.out"])
@pytest.mark.parametrize("divisor", [0, 256])
def test_remainder_of_division_by_zero_is_an_error(divisor: int, name: str) -> None:
    x, y = torch.tensor([4, 5], dtype=torch.int8), torch.tensor(divisor)  # 256 is 0 as int8
    with pytest.raises(KernelError, match="integer division by zero"):
        KERNELS.call(f"aten::{name}", x, y, x.clone(), x.clone())


@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
def test_powers_of_tensors_follow_pytorch(dtype: torch.dtype) -> None:
    x, y = pair(dtype)
    check(KERNELS, "aten::pow.Tensor_Tensor_out", x, y)
    check(KERNELS, "aten::pow.Tensor_Tensor_out", x.clamp(-2, 2) if dtype != torch.uint8 else x, y)
    for base in (2, 1, -1.0 if dtype.is_floating_point else -1, 2.5):
        check(KERNELS, "aten::pow.Scalar_out", base, y, out=torch.result_type(y, base))


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_atan2_follows_pytorch(dtype: torch.dtype) -> None:
    check(KERNELS, "aten::atan2.out", *pair(dtype), out=dtype if dtype.is_floating_point else torch.float32)


@pytest.mark.parametrize("dtype", [torch.bool, *INTEGRAL], ids=str)
@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bitwise_kernels_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    x, y = pair(dtype)
    check(KERNELS, f"aten::{name}.Tensor_out", x, y)
    for scalar in (5, True):
        check(KERNELS, f"aten::{name}.Scalar_out", x, scalar, out=torch.result_type(x, scalar))


@pytest.mark.parametrize("dtype", INTEGRAL, ids=str)
@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    x = random_tensor((40,), dtype)
    distances = [0, 1, 5, 7, 8, 15, 16, 31, 32, 63, 64] + ([] if dtype == torch.uint8 else [-1, -64])
    check(KERNELS, f"aten::{name}.Tensor_out", x[:, None].contiguous(), torch.tensor(distances, dtype=dtype))
    for distance in distances:
        check(KERNELS, f"aten::{name}.Tensor_Scalar_out", x, distance)


def test_bitwise_kernels_refuse_floats() -> None:
    x = torch.tensor([1, 2])
    with pytest.raises(KernelError, match="bitwise_and: the result is float32, but out is int64"):
        KERNELS.call("aten::bitwise_and.Scalar_out", x, 2.0, x.clone(), x.clone())
    with pytest.raises(KernelError, match="bitwise_and: dtype float32 is not supported"):
        out = torch.ones(2)
        KERNELS.call("aten::bitwise_and.Scalar_out", x, 2.0, out, out)


@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
def test_clamp_accepts_tensors(dtype: torch.dtype) -> None:
    x, y = pair(dtype)
    for low, high in [(y, None), (None, y), (y, y.flip(0)), (torch.tensor(1, dtype=dtype), y)]:
        check(KERNELS, "aten::clamp.Tensor_out", x, low, high)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("value", [0, 5, -1.5])
def test_masked_fills_follow_pytorch(value: float, dtype: torch.dtype) -> None:
    value = abs(value) if dtype == torch.uint8 else value
    x, mask = random_tensor((3, 1), dtype), random_tensor((4, 3, 5), torch.bool)
    check(KERNELS, "aten::masked_fill.Scalar_out", x, mask, value)
    check(KERNELS, "aten::fill.Scalar_out", x, value)
    check(KERNELS, "aten::fill.Tensor_out", x, torch.tensor(value))


def test_masked_fill_takes_infinity() -> None:
    scores, mask = random_tensor((2, 70)), random_tensor((70,), torch.bool)
    check(KERNELS, "aten::masked_fill.Scalar_out", scores, mask, float("-inf"))


def test_invalid_fills_are_errors() -> None:
    x = torch.ones(2)
    with pytest.raises(KernelError, match="masked_fill: the mask is not bool"):
        KERNELS.call("aten::masked_fill.Scalar_out", x, x, 1, x.clone(), x.clone())
    with pytest.raises(KernelError, match="fill: value"):
        KERNELS.call("aten::fill.Tensor_out", x, x, x.clone(), x.clone())
