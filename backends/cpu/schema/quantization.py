"""Elementwise ops on quantized tensors, and conversions of dtypes.

A quantized value q of an int8 or uint8 tensor represents (q - zero_point) * scale. Zero points and
bounds are in the range of the tensor's dtype.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from backends.cpu.schema.declarations import F16, F32, QS8, Dtype, OpSpec, Tensor
from backends.cpu.schema.records import OutputQuantization, QuantParams


@dataclass(frozen=True)
class Cast(OpSpec):
    """y = x, converted to the dtype of y. Both have the same number of elements.

    Conversions: float16 or bfloat16 to float32; float32 to float16 or bfloat16, rounded to nearest
    even; float32 to int64 or int32, truncated. Values outside the range of int64 saturate, and NaN
    becomes 0. An int32 result is the lower half of the int64 result.
    """

    code: ClassVar[int] = 32
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[...]", (*F32, *F16)),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", (*F32, *F16, Dtype.INT64, Dtype.INT32)),)


@dataclass(frozen=True)
class Quantize(OpSpec):
    """y = clamp(round(x * inverse) + zero_point, low, high).

    Ties round to even. y has as many elements as x.
    """

    output_quantization: OutputQuantization

    code: ClassVar[int] = 17
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[...]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", QS8),)


@dataclass(frozen=True)
class Dequantize(OpSpec):
    """y = (x - zero_point) * scale. y has as many elements as x."""

    params: QuantParams

    code: ClassVar[int] = 18
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[...]", QS8),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]"),)


class BinaryOp(IntEnum):
    """Functions of two dequantized values."""

    ADD = 0
    MUL = 1


@dataclass(frozen=True)
class BinaryQs8(OpSpec):
    """y = quantize(dequantize(a) + dequantize(b)), or the product instead of the sum.

    b is broadcast. Without leading dimensions of size 1, its sizes are the trailing sizes of a. y
    has as many elements as a.
    """

    function: BinaryOp
    a: QuantParams
    b: QuantParams
    output_quantization: OutputQuantization

    code: ClassVar[int] = 22
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("a", "[...]", QS8), Tensor("b", "[...]", QS8))
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", QS8),)


@dataclass(frozen=True)
class LutQs8(OpSpec):
    """y = table[x], where the bits of x are an unsigned index.

    `table` has the dtype of y. y has as many elements as x.
    """

    code: ClassVar[int] = 30
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[...]", QS8), Tensor("table", "[256]", QS8))
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", QS8),)
