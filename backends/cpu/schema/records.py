"""Records that are attributes of several ops."""

from dataclasses import dataclass, field, replace
from enum import IntEnum
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, cast

from backends.cpu.schema.declarations import F16, F32, POSITIVE, Count, OpSpec, Record, bounds
from backends.cpu.schema.kernel_sizes import MAX_KERNEL, MAX_WINDOW

if TYPE_CHECKING:
    from typing import Self

Pair = tuple[int, int]
Padding = tuple[int, int, int, int]


class ActivationFunction(IntEnum):
    """Activation functions."""

    NONE = 0
    CLAMP = 1
    GELU = 2
    GELU_TANH = 3
    SILU = 4
    HARDSWISH = 5
    SIGMOID = 6
    TANH = 7
    HARDSIGMOID = 8
    LEAKY_RELU = 9
    ELU = 10


@dataclass(frozen=True)
class Activation(Record):
    """A function of one value. `low` and `high` are its parameters, if it has any."""

    function: ActivationFunction = ActivationFunction.NONE
    low: float = 0.0
    high: float = 0.0


NONE = Activation()
RELU = Activation(ActivationFunction.CLAMP, 0.0, inf)


@dataclass(frozen=True)
class Window(Record):
    """The window of a convolution or of pooling.

    Pairs are (y, x); padding is (top, left, bottom, right).
    """

    c_name: ClassVar[str | None] = "window_attributes"

    kernel: Pair = field(metadata=bounds(1, MAX_KERNEL))
    stride: Pair = field(default=(1, 1), metadata=bounds(1, MAX_WINDOW))
    padding: Padding = field(default=(0, 0, 0, 0), metadata=bounds(0, MAX_WINDOW))
    dilation: Pair = field(default=(1, 1), metadata=bounds(1, MAX_WINDOW))

    @property
    def is_point(self) -> bool:
        """Whether each output depends only on the input at the same position."""
        return self.kernel == self.stride == (1, 1) and not any(self.padding)

    @property
    def taps(self) -> int:
        """The number of elements of the window."""
        return self.kernel[0] * self.kernel[1]

    def output_size(self, size: Pair) -> Pair:
        """Return the height and width of the output for an image of size `size`."""
        top, left, bottom, right = self.padding
        padded = size[0] + top + bottom, size[1] + left + right
        extent = [(kernel - 1) * dilation + 1 for kernel, dilation in zip(self.kernel, self.dilation)]
        height, width = ((padded[axis] - extent[axis]) // self.stride[axis] + 1 for axis in (0, 1))
        return height, width


@dataclass(frozen=True)
class QuantParams(Record):
    """A quantized value q represents (q - zero_point) * scale."""

    zero_point: int
    scale: float


@dataclass(frozen=True)
class OutputQuantization(Record):
    """Quantization of outputs: clamp(round(x * inverse) + zero_point, low, high).

    Ties round to even.

    inverse: 1 / scale, positive and finite.
    """

    inverse: float = field(metadata=POSITIVE)
    zero_point: int
    low: int
    high: int


class WeightOffset(IntEnum):
    """Parameter that a group of quantized weights has in addition to its scale."""

    NONE = 0
    ZERO_POINTS = 1
    MINIMA = 2


GROUP_DTYPES = (*F32, *F16)
"""Dtypes of scales, zero points and minima of groups of quantized weights."""


@dataclass(frozen=True)
class LowBitFormat(Record):
    """The encoding of 4-bit or 8-bit weights.

    Each group of consecutive weights of a column has a scale. A signed quantized value q represents

    - q * scale,
    - (q - zero_point) * scale with zero points, or
    - (q + 2**(bits - 1)) * scale + minimum with minima.

    bits: 4 or 8.
    """

    bits: int = field(metadata=bounds(4, 8))
    offset: WeightOffset


class Activated(OpSpec):
    """An op that optionally adds a residual, and then applies an activation."""

    activation: Activation

    @property
    def without_residual(self) -> int | None:
        """The number of inputs without a residual. It is None if the op cannot add one."""
        return len(self.inputs) - 1 if self.inputs[-1].count is Count.OPTIONAL else None

    def with_activation(self, activation: Activation) -> "Self":
        """Return a copy with the given activation."""
        return cast("Self", replace(cast(Any, self), activation=activation))
