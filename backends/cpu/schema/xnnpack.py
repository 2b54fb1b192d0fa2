"""Ops that only the XNNPACK backend builds.

They do not have codes, because payloads of the CPU backend cannot contain them.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from backends.cpu.schema.convolution import ConvF32
from backends.cpu.schema.declarations import I32, QS8, OpSpec, Tensor, bounds
from backends.cpu.schema.kernel_sizes import MAX_RANK, MAX_WINDOW
from backends.cpu.schema.records import Pair

_MAX_FACTOR = 1 << 21


@dataclass(frozen=True)
class RoundRows(OpSpec):
    """Quantize rows dynamically to int8, then dequantize them.

    y = (q - zero_point) * scale. A row consists of the elements of the last `row_dims` dimensions.
    It is quantized over the range of its elements, extended to include 0.

    half: whether the inverse scale is rounded to float16.
    """

    row_dims: int = field(metadata=bounds(1, MAX_RANK))
    half: bool

    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[...]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]"),)


@dataclass(frozen=True)
class AddQs8(OpSpec):
    """Quantized addition in fixed point.

    y = clamp((sum + 2^(shift - 1) >> shift) + zero_point, low, high), where sum adds
    factors[i] * (x[i] - zero_points[i]) for a and b.

    All tensors have the same dtype and number of elements.
    """

    factors: Pair = field(metadata=bounds(-_MAX_FACTOR, _MAX_FACTOR))
    zero_points: Pair = field(metadata=bounds(-128, 255))
    shift: int = field(metadata=bounds(1, 30))
    zero_point: int = field(metadata=bounds(-128, 255))
    low: int = field(metadata=bounds(-128, 255))
    high: int = field(metadata=bounds(-128, 255))

    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("a", "[...]", QS8), Tensor("b", "[...]", QS8))
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", QS8),)


@dataclass(frozen=True)
class ArgmaxPool(OpSpec):
    """Maximum of each window of an image, and its index in the window.

    Windows do not overlap.

    padding: top, left. Padding is never the maximum.
    """

    kernel: Pair = field(metadata=bounds(1, MAX_WINDOW))
    padding: Pair = field(metadata=bounds(0, MAX_WINDOW))

    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[B, H, W, C]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("y", "[B, Ho, Wo, C]"),
        Tensor("indices", "[B, Ho, Wo, C]", I32),
    )


@dataclass(frozen=True)
class TransposedConvolution(ConvF32):
    """Gradient of a convolution with respect to its input.

    Attributes and tensors are those of conv_f32. x is NHWC. The activation is absent or a clamp,
    and the op does not have a residual. y can have any size.
    """
