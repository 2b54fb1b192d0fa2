"""Test that convolution, pooling and upsampling kernels match PyTorch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
CONV = "aten::convolution.out"
CLOSE = (1e-4, 1e-4)


def convolve(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    transposed: bool = False,
    extra: Sequence[int] = (0, 0),
    groups: int = 1,
    **options: Any,
) -> None:
    """Check a convolution whose output has the dim order of `x`.

    `extra` is the output padding.
    """
    arguments = (list(stride), list(padding), list(dilation), transposed, list(extra), groups)
    options = {"tolerance": CLOSE, "order": x.dim_order()} | options
    check(KERNELS, CONV, x, weight, bias, *arguments, **options)


def in_both_orders(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x, channels_last(x)


@pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (1, 3), (5, 2)], ids=str)
@pytest.mark.parametrize("stride", [(1, 1), (2, 2), (3, 1)], ids=str)
@pytest.mark.parametrize("padding", [(0, 0), (1, 1), (2, 0)], ids=str)
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_convolution_follows_pytorch(
    kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int], groups: int
) -> None:
    weight, bias = random_tensor((8, 4 // groups, *kernel), seed=1), random_tensor((8,), seed=2)
    for x in in_both_orders(random_tensor((2, 4, 9, 11))):
        convolve(x, weight, bias, stride, padding, groups=groups)
        convolve(x, weight, None, stride, padding, (2, 1), groups=groups)
        convolve(x, weight, None, stride, padding, (1, 2), groups=groups)


def test_convolution_to_one_element_follows_pytorch() -> None:
    convolve(random_tensor((1, 4, 3, 3)), random_tensor((1, 4, 3, 3), seed=1), random_tensor((1,), seed=2))


@pytest.mark.parametrize("channels", [1, 3, 6])
@pytest.mark.parametrize("size", [(7, 7), (1, 30), (40, 5), (2, 2)], ids=str)
def test_depthwise_convolution_follows_pytorch(channels: int, size: tuple[int, int]) -> None:
    x = random_tensor((2, channels, *size))
    for kernel, stride, dilation, outs in itertools.product([1, 3, 5], [1, 2, 3], [1, 2], [1, 2]):
        padding = (kernel // 2 * dilation,) * 2
        weight = random_tensor((outs * channels, 1, kernel, kernel), seed=1)
        bias = random_tensor((outs * channels,), seed=2)
        for image in in_both_orders(x):
            convolve(image, weight, bias, (stride, 1), padding, (dilation, 1), groups=channels)


def test_depthwise_weights_larger_than_scratch_are_correct() -> None:
    many = random_tensor((1, 1000, 3, 4))
    convolve(channels_last(many), random_tensor((1000, 1, 3, 3), seed=1), None, padding=(1, 1), groups=1000)
    high = random_tensor((1, 2, 9000, 1))
    convolve(channels_last(high), random_tensor((2, 1, 8500, 1), seed=1) / 90, None, groups=2)


def test_wide_depthwise_rows_larger_than_scratch_are_correct() -> None:
    convolve(random_tensor((1, 2, 4, 5000)), random_tensor((2, 1, 3, 3), seed=1), None, padding=(1, 1), groups=2)


def test_padding_wider_than_the_input_is_correct() -> None:
    for x in in_both_orders(random_tensor((1, 2, 2, 3))):
        convolve(x, random_tensor((3, 2, 2, 2), seed=1), None, (2, 3), (5, 4))
        convolve(x, random_tensor((2, 1, 2, 2), seed=1), None, (2, 3), (5, 4), groups=2)


def test_many_channels_use_several_panels() -> None:
    weight = random_tensor((70, 130, 3, 3), seed=1) / 30
    for x in in_both_orders(random_tensor((1, 130, 17, 19))):
        convolve(x, weight, random_tensor((70,)), padding=(1, 1))
        convolve(x, channels_last(weight), random_tensor((70,)), padding=(1, 1))
    for x in in_both_orders(random_tensor((1, 515, 5, 5))):
        convolve(x, random_tensor((7, 515, 1, 1), seed=1) / 20, None)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_transposed_convolution_follows_pytorch(groups: int, stride: int) -> None:
    x, weight = random_tensor((2, 4, 5, 6)), random_tensor((4, 6 // groups, 3, 2), seed=1)
    bias = random_tensor((6,), seed=2)
    convolve(x, weight, bias, (stride, 1), (1, 0), (1, 2), True, (stride - 1, 0), groups)


def test_one_dimensional_convolution_follows_pytorch() -> None:
    x = random_tensor((2, 4, 30))
    for groups, stride, padding in [(1, 1, 0), (2, 2, 1), (4, 3, 2)]:
        weight = random_tensor((8, 4 // groups, 3), seed=1)
        convolve(x, weight, random_tensor((8,), seed=2), (stride,), (padding,), (1,), extra=(0,), groups=groups)
        last = x.permute(0, 2, 1).contiguous().permute(0, 2, 1)
        convolve(last, weight, random_tensor((8,), seed=2), (stride,), (padding,), (1,), extra=(0,), groups=groups)
    convolve(x, random_tensor((4, 3, 3), seed=1), None, (2,), (1,), (1,), True, (1,))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_convolution_accepts_every_floating_dtype(dtype: torch.dtype) -> None:
    x, weight = random_tensor((1, 3, 6, 6), dtype), random_tensor((4, 3, 3, 3), dtype, seed=1)
    convolve(x, weight, random_tensor((4,), dtype, seed=2), padding=(1, 1), tolerance=None)


def test_convolution_accepts_any_dim_order() -> None:
    x, weight, bias = random_tensor((2, 3, 6, 7)), random_tensor((4, 3, 3, 3), seed=1), random_tensor((4,))
    convolve(channels_last(x), channels_last(weight), bias, padding=(1, 1))
    convolve(channels_last(x), random_tensor((3, 4, 3, 3)), bias, padding=(1, 1), transposed=True)
    convolve(channels_last(x), weight, bias, padding=(1, 1), order=(0, 1, 2, 3))
    convolve(x, weight, bias, (2, 2), (1, 1), order=(0, 2, 3, 1))


def test_empty_batch_gives_an_empty_result() -> None:
    convolve(torch.empty(0, 3, 5, 5), random_tensor((4, 3, 3, 3)), None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stride": [0, 1]}, r"stride\[0\] = 0 is not in"),
        ({"stride": [1, 1, 1]}, "stride has 3 elements, expected 2"),
        ({"padding": [-1, 0]}, r"padding\[0\] = -1"),
        ({"dilation": [1, -2]}, r"dilation\[1\] = -2"),
        ({"dilation": [2**31 - 1, 1]}, "exceeds an input"),
        ({"groups": 0}, "groups = 0"),
        ({"groups": 3}, "groups = 3"),
        ({"groups": 2}, "input has 4 channels, the weight needs 8"),
        ({"weight": torch.ones(4, 4, 9, 3)}, "exceeds an input"),
        ({"weight": torch.ones(4, 4, 3)}, "weight has 3 dimensions"),
        ({"weight": torch.ones(4, 4, 3, 3, dtype=torch.float64)}, "dtypes float64 and float32 differ"),
        ({"bias": torch.ones(3)}, "bias must have one dimension of 4"),
    ],
    ids=str,
)
def test_invalid_convolution_is_an_error(change: dict[str, object], message: str) -> None:
    values = {
        "x": torch.ones(1, 4, 5, 5),
        "weight": torch.ones(4, 4, 3, 3),
        "bias": torch.ones(4),
        "stride": [1, 1],
        "padding": [0, 0],
        "dilation": [1, 1],
        "transposed": False,
        "extra": [0, 0],
        "groups": 1,
    } | change
    out = torch.empty(1, 4, 3, 3)
    with pytest.raises(KernelError, match=message):
        KERNELS.call(CONV, *values.values(), out, out)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("stride", [[], [2, 1], [3]], ids=str)
def test_max_pooling_follows_pytorch(stride: list[int], padding: int, ceil_mode: bool) -> None:
    for x in (random_tensor((2, 3, 7, 8)), channels_last(random_tensor((2, 3, 7, 8))), random_tensor((3, 7, 8))):
        arguments = ([3, 2], stride, [padding], [1], ceil_mode)
        check(KERNELS, "aten::max_pool2d_with_indices.out", x, *arguments, out=(x.dtype, torch.int64))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int64, torch.float16, torch.float64], ids=str)
def test_max_pooling_accepts_every_dtype(dtype: torch.dtype) -> None:
    x = random_tensor((1, 2, 6, 6), dtype)
    arguments = ([2], [2], [1], [2], False)
    check(KERNELS, "aten::max_pool2d_with_indices.out", x, *arguments, out=(dtype, torch.int64))


def test_max_pooling_keeps_nan_and_infinity() -> None:
    x = torch.tensor([[[1.0, float("nan"), 3.0, 4.0], [float("-inf")] * 4]])
    check(KERNELS, "aten::max_pool2d_with_indices.out", x, [1, 2], [], [0], [1], False, out=(x.dtype, torch.int64))


@pytest.mark.parametrize("divisor", [None, 5])
@pytest.mark.parametrize("include_pad", [False, True])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_average_pooling_follows_pytorch(ceil_mode: bool, include_pad: bool, divisor: int | None) -> None:
    for x in (random_tensor((2, 3, 7, 8)), channels_last(random_tensor((2, 3, 7, 8))), random_tensor((3, 7, 8))):
        check(KERNELS, "aten::avg_pool2d.out", x, [3, 2], [2], [1], ceil_mode, include_pad, divisor)
        check(KERNELS, "aten::avg_pool2d.out", x, [7, 8], [1], [0], ceil_mode, include_pad, divisor)


@pytest.mark.parametrize("divisor", [None, 5, -1])
@pytest.mark.parametrize("include_pad", [False, True])
def test_average_pooling_of_integers_rounds_toward_zero(include_pad: bool, divisor: int | None) -> None:
    large = torch.tensor([[[2**62, 2**62 + 1], [-(2**62), 3]]])
    for x in (random_tensor((2, 3, 7, 8), torch.int64), channels_last(random_tensor((2, 3, 7, 8), torch.int64))):
        check(KERNELS, "aten::avg_pool2d.out", x, [3, 2], [2], [1], False, include_pad, divisor)
    check(KERNELS, "aten::avg_pool2d.out", large, [2], [1], [0], False, include_pad, divisor)


@pytest.mark.parametrize("size", [[1, 1], [3, 2], [7, 9], [1, 5]], ids=str)
def test_adaptive_pooling_follows_pytorch(size: list[int]) -> None:
    for x in (random_tensor((2, 3, 7, 8)), channels_last(random_tensor((2, 3, 7, 8))), random_tensor((3, 6, 6))):
        check(KERNELS, "aten::_adaptive_avg_pool2d.out", x, size, order=range(x.dim()))


@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "dilation", "message"),
    [
        ([0], [], [0], [1], r"kernel_size\[0\] = 0"),
        ([2], [0], [0], [1], r"stride\[0\] = 0"),
        ([2], [], [2], [1], "more than half the kernel"),
        ([2], [], [-1], [1], r"padding\[0\] = -1"),
        ([2], [], [0], [0], r"dilation\[0\] = 0"),
        ([9], [], [0], [1], "exceeds an input"),
        ([2, 2, 2], [], [0], [1], "kernel_size has 3 elements"),
    ],
)
def test_invalid_pooling_is_an_error(
    kernel: list[int], stride: list[int], padding: list[int], dilation: list[int], message: str
) -> None:
    out, indices = torch.empty(1, 1, 4, 4), torch.empty(1, 1, 4, 4, dtype=torch.int64)
    with pytest.raises(KernelError, match=message):
        arguments = (torch.ones(1, 1, 4, 4), kernel, stride, padding, dilation, False)
        KERNELS.call("aten::max_pool2d_with_indices.out", *arguments, out, indices, [out, indices])


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding", "elements"), [(0, 1, 2, 0, 0), (2**31 - 1, 2, 1, 1, 2**31)]
)
def test_pooled_size_must_be_a_positive_int32(size: int, kernel: int, stride: int, padding: int, elements: int) -> None:
    x, out, indices = torch.empty(1, 0, 1, size), torch.empty(1, 0, 1, 1), torch.empty(1, 0, 1, 1, dtype=torch.int64)
    with pytest.raises(KernelError, match=f"out would have {elements} elements along an axis"):
        arguments = (x, [1, kernel], [1, stride], [0, padding], [1], size == 0)
        KERNELS.call("aten::max_pool2d_with_indices.out", *arguments, out, indices, [out, indices])


def interpolate(mode: str, align_corners: bool | None = None) -> Callable[..., torch.Tensor]:
    def reference(x: torch.Tensor, size: list[int] | None, *rest: Any) -> torch.Tensor:
        return torch.nn.functional.interpolate(x, size, rest[-1], mode, align_corners)

    return reference


@pytest.mark.parametrize(
    ("size", "factors"), [([9, 7], None), ([3, 20], None), (None, [2.0, 2.0]), (None, [0.7, 1.6])], ids=str
)
def test_upsampling_follows_pytorch(size: list[int] | None, factors: list[float] | None) -> None:
    for x in (random_tensor((2, 3, 5, 8)), channels_last(random_tensor((2, 3, 5, 8)))):
        check(KERNELS, "aten::upsample_nearest2d.vec_out", x, size, factors, reference=interpolate("nearest"))
        for align in (False, True):
            reference = interpolate("bilinear", align)
            check(KERNELS, "aten::upsample_bilinear2d.vec_out", x, size, align, factors, reference=reference)


@pytest.mark.parametrize("shape", [(1, 1, 0, 2), (1, 1, 2, 0)], ids=str)
def test_upsampling_of_empty_images_is_an_error(shape: tuple[int, ...]) -> None:
    x, out = torch.ones(shape), torch.ones(1, 1, 4, 4)
    with pytest.raises(KernelError, match="upsample_nearest2d: input is empty"):
        KERNELS.call("aten::upsample_nearest2d.vec_out", x, [4, 4], None, out, out)


def test_upsampling_without_or_with_two_sizes_is_an_error() -> None:
    x = torch.ones(1, 1, 2, 2)
    for size, factors in [(None, None), ([4, 4], [2.0, 2.0])]:
        with pytest.raises(KernelError, match="pass exactly one of output_size and scale_factors"):
            KERNELS.call("aten::upsample_nearest2d.vec_out", x, size, factors, x.clone(), x.clone())
    for factor in (float("nan"), 0.0, -1.0, 1e12):
        with pytest.raises(KernelError, match="is out of range"):
            KERNELS.call("aten::upsample_nearest2d.vec_out", x, None, [factor, 1.0], x.clone(), x.clone())
