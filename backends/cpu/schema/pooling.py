"""Pooling of images and volumes."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar

from backends.cpu.schema.declarations import F32, QS8, Dtype, OpSpec, Tensor, bounds, bounds_of
from backends.cpu.schema.kernel_sizes import MAX_KERNEL
from backends.cpu.schema.records import OutputQuantization, QuantParams, Window

WHOLE = Window((0, 0))
"""Window of global pooling. It covers the whole image, regardless of its size."""


class PoolMode(IntEnum):
    """Reductions of the elements of a window."""

    AVG = 0
    MAX = 1
    ARGMAX = 2


@dataclass(frozen=True)
class PoolF32(OpSpec):
    """Average or maximum of each window of an image.

    The maximum of a window with a NaN is NaN. Max pooling ignores padding. Average
    pooling treats it as zeros.

    mode: AVG or MAX.
    window: a 0 x 0 kernel covers the whole image.
    count_padding: divide averages by the number of elements of the kernel; otherwise, by the number
        of elements inside the image.
    divisor: if not 0, averages are divided by this value instead.
    """

    mode: PoolMode = field(metadata=bounds(PoolMode.AVG, PoolMode.MAX))
    window: Window = field(default=WHOLE, metadata=bounds_of(kernel=(0, MAX_KERNEL)))
    count_padding: bool = False
    divisor: int = field(default=0, metadata=bounds(0))

    code: ClassVar[int] = 6
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[B, H, W, C]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[B, Ho, Wo, C]"),)


@dataclass(frozen=True)
class PoolQs8(OpSpec):
    """`pool_f32` for quantized values: y = quantize(pool(x - zero_point) * scale).

    Sums and maxima are exact integers. For averages, the sum is divided in float32.

    params: quantization of x. The zero point is in the range of the dtype of x.
    """

    pool: PoolF32
    params: QuantParams
    output_quantization: OutputQuantization

    code: ClassVar[int] = 31
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[B, H, W, C]", QS8),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[B, Ho, Wo, C]", QS8),)


@dataclass(frozen=True)
class AdaptivePool(OpSpec):
    """Average, maximum or argmax of each window of a volume.

    Windows are those of `torch.nn.AdaptiveAvgPool3d`. Along an axis of n elements, window i of m
    contains the elements floor(i * n / m) to ceil((i + 1) * n / m) - 1.

    mode: with ARGMAX, y is int64 and contains indices into the flattened volume [D, H, W].
        Otherwise, y is float32.
    """

    mode: PoolMode

    code: ClassVar[int] = 43
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[B, D, H, W, C]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[B, Do, Ho, Wo, C]", (*F32, Dtype.INT64)),)
