"""Test that quantization kernels match PyTorch's reference definitions."""

from __future__ import annotations

import pytest
import torch
import torch.ao.quantization.fx._decomposed

from kernels.testing.native import DTYPE_CODES, KernelError
from kernels.testing.parity import check, load_kernels, random_tensor

KERNELS = load_kernels()
QUANTIZED = [
    (torch.uint8, 0, 255),
    (torch.int8, -128, 127),
    (torch.int8, -127, 127),
    (torch.int16, -32768, 32767),
    (torch.int32, -(2**31), 2**31 - 1),
]
SPECIAL = torch.tensor([0.0, -0.0, 1e30, -1e30, float("inf"), float("-inf"), 0.5, 1.5, -2.5])
QUANTIZE = "quantized_decomposed::quantize_per_tensor.out"
DEQUANTIZE = "quantized_decomposed::dequantize_per_tensor.out"
PER_CHANNEL = "quantized_decomposed::dequantize_per_channel.out"
ADD = "quantized_decomposed::add.out"
OPS = torch.ops.quantized_decomposed


@pytest.mark.parametrize(("dtype", "low", "high"), QUANTIZED[:4], ids=str)
def test_quantization_follows_pytorch(dtype: torch.dtype, low: int, high: int) -> None:
    x = torch.cat([random_tensor((200,)) * 3, SPECIAL])
    reference = lambda x, *a: OPS.quantize_per_tensor(x, *a[:4], dtype)
    for scale, zero_point in [(0.031, 3), (1.0, low), (0.5, high)]:
        check(KERNELS, QUANTIZE, x, scale, zero_point, low, high, DTYPE_CODES[dtype], out=dtype, reference=reference)


@pytest.mark.parametrize(("dtype", "low", "high"), QUANTIZED, ids=str)
def test_dequantization_follows_pytorch(dtype: torch.dtype, low: int, high: int) -> None:
    q = random_tensor((3, 50), dtype)
    reference = lambda q, *a: OPS.dequantize_per_tensor(q, *a[:4], dtype)
    check(KERNELS, DEQUANTIZE, q, 0.031, 3, low, high, DTYPE_CODES[dtype], None, out=torch.float32, reference=reference)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_dequantization_per_channel_follows_pytorch(axis: int) -> None:
    q = random_tensor((3, 4, 5), torch.int8)
    channels = q.shape[axis]
    scales, zero_points = random_tensor((channels,)).abs(), random_tensor((channels,), torch.int64)
    for points in (zero_points, zero_points.to(torch.int32), None):
        reference = lambda q, s, z, a, *_: OPS.dequantize_per_channel(q, s, z, a % 3, -128, 127, torch.int8)
        check(KERNELS, PER_CHANNEL, q, scales, points, axis, -128, 127, 1, None, out=torch.float32, reference=reference)


def test_quantized_addition_rounds_once() -> None:
    a, b = random_tensor((3, 40), torch.int8), random_tensor((40,), torch.int8, seed=1)
    parameters = [(0.02, 3, -128, 127), (0.05, -7, -128, 127), (0.06, 1, -127, 127)]

    def reference(*_: object) -> torch.Tensor:
        x, y = (OPS.dequantize_per_tensor(q, *p, torch.int8) for q, p in zip((a, b), parameters[:2], strict=True))
        return OPS.quantize_per_tensor(x + y, *parameters[2], torch.int8)

    check(KERNELS, ADD, a, *parameters[0], b, *parameters[1], *parameters[2], reference=reference)


@pytest.mark.parametrize(
    ("scale", "zero_point", "low", "high", "message"),
    [
        (0.0, 0, -128, 127, "scale is not a positive number"),
        (-1.0, 0, -128, 127, "scale is not a positive number"),
        (float("nan"), 0, -128, 127, "scale is not a positive number"),
        (float("inf"), 0, -128, 127, "scale is not a positive number"),
        (1e-46, 0, -128, 127, "scale is not a positive number"),
        (1.0, 128, -128, 127, "zero_point 128 does not fit int8"),
        (1.0, 2**40, -128, 127, "zero_point"),
        (1.0, 0, -129, 127, "do not fit int8"),
        (1.0, 0, 5, 4, "do not fit int8"),
    ],
)
def test_invalid_quantization_parameters_are_an_error(
    scale: float, zero_point: int, low: int, high: int, message: str
) -> None:
    x, q = torch.ones(2), torch.ones(2, dtype=torch.int8)
    with pytest.raises(KernelError, match=message):
        KERNELS.call(QUANTIZE, x, scale, zero_point, low, high, 1, q, q)
    with pytest.raises(KernelError, match=message):
        KERNELS.call(DEQUANTIZE, q, scale, zero_point, low, high, 1, None, x, x)


def test_quantization_parameters_of_several_elements_are_an_error() -> None:
    x, q = torch.ones(2), torch.ones(2, dtype=torch.int8)
    name = "quantized_decomposed::quantize_per_tensor.Tensor_out"
    for scales, points in ((1, 2), (2, 1), (0, 1)):
        parameters = torch.ones(scales, dtype=torch.float64), torch.zeros(points, dtype=torch.int64)
        with pytest.raises(KernelError, match=f"must have one element, not {scales} and {points}"):
            KERNELS.call(name, x, *parameters, -128, 127, 1, q, q)


def test_invalid_quantized_dtypes_are_an_error() -> None:
    x, q = torch.ones(2), torch.ones(2, dtype=torch.int8)
    with pytest.raises(KernelError, match="cannot quantize float32 to dtype 0 with out of int8"):
        KERNELS.call(QUANTIZE, x, 1.0, 0, 0, 1, 0, q, q)
    with pytest.raises(KernelError, match="float32 is not a quantized dtype"):
        KERNELS.call(DEQUANTIZE, x, 1.0, 0, 0, 1, 6, None, x, x)
    with pytest.raises(KernelError, match="scales must have 2 elements, not 3"):
        KERNELS.call(PER_CHANNEL, q, torch.ones(3), None, 0, -128, 127, 1, None, x, x)
