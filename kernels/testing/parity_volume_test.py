"""Test that 3-d convolution, 3-d pooling and max pooling kernels match PyTorch."""

from __future__ import annotations

import itertools

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import FLOATING, check, load_kernels, random_tensor

KERNELS = load_kernels()
CONV = "aten::convolution.out"
CLOSE = (1e-4, 1e-4)


def channels_last_3d(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(memory_format=torch.channels_last_3d)


def volumes() -> tuple[torch.Tensor, ...]:
    x = random_tensor((2, 3, 5, 6, 7))
    return x, channels_last_3d(x), x[0].contiguous()


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("kernel", [(1, 1, 1), (3, 3, 3), (3, 1, 2), (1, 3, 3)], ids=str)
def test_convolution_of_volumes_follows_pytorch(kernel: tuple[int, int, int], groups: int) -> None:
    x, bias = random_tensor((2, 4, 5, 7, 6)), random_tensor((8,), seed=2)
    weight = random_tensor((8, 4 // groups, *kernel), seed=1)
    for stride, padding, dilation in itertools.product(
        [[1] * 3, [2, 1, 3]], [[0] * 3, [1, 0, 2]], [[1] * 3, [2, 1, 1]]
    ):
        for volume in (x, channels_last_3d(x)):
            rest = (stride, padding, dilation, False, [0] * 3, groups)
            check(KERNELS, CONV, volume, weight, bias, *rest, tolerance=CLOSE)


def test_depthwise_convolution_of_flat_volumes_follows_pytorch() -> None:
    """The kernel of 2-d images does not apply: the weights have a depth of 3."""
    x, weight = random_tensor((2, 4, 1, 7, 6)), random_tensor((4, 1, 3, 3, 3), seed=1)
    check(KERNELS, CONV, x, weight, None, [1] * 3, [1] * 3, [1] * 3, False, [0] * 3, 4, tolerance=CLOSE)


@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolution_of_volumes_follows_pytorch(groups: int) -> None:
    x, weight = random_tensor((2, 4, 3, 4, 5)), random_tensor((4, 6 // groups, 2, 3, 2), seed=1)
    for stride, extra in (([1, 1, 1], [0, 0, 0]), ([2, 1, 3], [1, 0, 2])):
        rest = (stride, [0, 1, 0], [1, 1, 2], True, extra, groups)
        check(KERNELS, CONV, x, weight, random_tensor((6,)), *rest, tolerance=CLOSE)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_volume_convolution_accepts_every_floating_dtype(dtype: torch.dtype) -> None:
    x, weight = random_tensor((1, 2, 4, 4, 4), dtype), random_tensor((3, 2, 2, 2, 2), dtype, seed=1)
    check(KERNELS, CONV, x, weight, None, [1] * 3, [1] * 3, [1] * 3, False, [0] * 3, 1)


def test_volumes_with_several_panels_are_correct() -> None:
    x, weight = random_tensor((1, 40, 6, 9, 8)), random_tensor((20, 40, 3, 3, 3), seed=1) / 30
    check(KERNELS, CONV, x, weight, None, [1] * 3, [1] * 3, [1] * 3, False, [0] * 3, 1, tolerance=CLOSE)


def test_convolution_of_zero_channels_is_the_bias() -> None:
    bias = random_tensor((4,))
    for shape, kernel in (((1, 0, 3, 3, 3), [2, 2, 2]), ((1, 0, 3, 3), [3, 3])):
        dims = len(kernel)
        x, weight = torch.empty(shape), torch.empty(4, 0, *kernel)
        expected = bias.reshape(4, *[1] * dims).expand(1, 4, *[4 - kernel[0]] * dims)
        rest = ([1] * dims, [0] * dims, [1] * dims, False, [0] * dims, 1)
        check(KERNELS, CONV, x, weight, bias, *rest, reference=lambda *_, expected=expected: expected)


def test_invalid_volumes_are_an_error() -> None:
    x, weight, out = torch.ones(1, 2, 3, 3, 3), torch.ones(2, 2, 4, 1, 1), torch.empty(1, 2, 3, 3, 3)
    with pytest.raises(KernelError, match="exceeds an input of size 3"):
        KERNELS.call(CONV, x, weight, None, [1] * 3, [0] * 3, [1] * 3, False, [0] * 3, 1, out, out)
    with pytest.raises(KernelError, match="stride has 2 elements, expected 3"):
        KERNELS.call(CONV, x, weight, None, [1] * 2, [0] * 3, [1] * 3, False, [0] * 3, 1, out, out)


@pytest.mark.parametrize("include_pad", [False, True])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_average_pooling_of_volumes_follows_pytorch(ceil_mode: bool, include_pad: bool) -> None:
    for x in volumes():
        for divisor in (None, 5):
            check(KERNELS, "aten::avg_pool3d.out", x, [3, 2, 3], [2], [1], ceil_mode, include_pad, divisor)
        check(KERNELS, "aten::avg_pool3d.out", x, [2, 1, 2], [], [1, 0, 1], ceil_mode, include_pad, None)


def test_average_pooling_accepts_the_largest_size() -> None:
    x, out = torch.empty(0, 1, 1, 2**31 - 1), torch.empty(0, 1, 1, 1)
    KERNELS.call("aten::avg_pool2d.out", x, [1, 1], [], [0, 0], False, True, None, out, out)
    assert out.shape == x.shape


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("dilation", [1, 2])
def test_max_pooling_of_volumes_follows_pytorch(dilation: int, ceil_mode: bool) -> None:
    for x in volumes():
        rest = ([2, 3, 2], [2, 1, 2], [1], [dilation], ceil_mode)
        check(KERNELS, "aten::max_pool3d_with_indices.out", x, *rest, out=(x.dtype, torch.int64))


@pytest.mark.parametrize("size", [[1, 1, 1], [3, 2, 4], [5, 6, 7], [7, 1, 5]], ids=str)
def test_adaptive_pooling_of_volumes_follows_pytorch(size: list[int]) -> None:
    for x in volumes():
        check(KERNELS, "aten::_adaptive_avg_pool3d.out", x, size, order=range(x.dim()))
        check(KERNELS, "aten::adaptive_max_pool3d.out", x, size, out=(x.dtype, torch.int64), order=range(x.dim()))


@pytest.mark.parametrize("size", [[1, 1], [3, 2], [7, 9]], ids=str)
def test_adaptive_max_pooling_follows_pytorch(size: list[int]) -> None:
    x = random_tensor((2, 3, 7, 8))
    for volume in (x, x.to(memory_format=torch.channels_last), x[0].contiguous()):
        check(
            KERNELS,
            "aten::adaptive_max_pool2d.out",
            volume,
            size,
            out=(x.dtype, torch.int64),
            order=range(volume.dim()),
        )


def test_adaptive_pooling_accepts_empty_tensors() -> None:
    out, indices = torch.empty(1, 2, 2), torch.empty(1, 2, 2, dtype=torch.int64)
    with pytest.raises(KernelError, match="dimension 1 of the input is empty"):
        KERNELS.call("aten::adaptive_max_pool2d.out", torch.empty(1, 0, 3), [2, 2], out, indices, [out, indices])
    check(KERNELS, "aten::_adaptive_avg_pool3d.out", torch.empty(0, 3, 4, 4, 4), [2, 2, 2])


def test_average_pooling_counts_any_padding() -> None:
    """Test windows that are nearly all padding and whose size exceeds 64 bits."""
    huge = 2**31 - 1
    x, out = torch.ones(1, 1, 1, 1, 1), torch.empty(1, 1, 1, 1, 1)
    rest = ([huge] * 3, [1] * 3, [huge // 2] * 3, False, True, None)
    KERNELS.call("aten::avg_pool3d.out", x, *rest, out, out)
    assert out.item() == pytest.approx(float(huge) ** -3)
