"""`quantize`, `dequantize`, `binary_qs8` and `lut_qs8`: element by element, between floats and bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.ops.quantization import dequantized, quantized
from backends.cpu.compiler.ops.spec import NoAttributes, OpSpec, Sizes
from backends.cpu.schema.records import OutputQuantization, QuantParams


@dataclass(frozen=True)
class Quantize(OpSpec):
    """Floats to bytes of as many elements."""

    quantizing: OutputQuantization

    code = 17

    def words(self) -> tuple[int, ...]:
        return self.quantizing.words()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(OutputQuantization.read(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2 and sizes[0] == sizes[1], "takes one input, gives one output of its size")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(quantized(self.quantizing, inputs[0]))


@dataclass(frozen=True)
class Dequantize(OpSpec):
    """Bytes to floats."""

    reading: QuantParams

    code = 18

    def words(self) -> tuple[int, ...]:
        return self.reading.words()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(QuantParams.read(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2 and sizes[0] == sizes[1], "takes one input, gives one output of its size")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(dequantized(self.reading, inputs[0]))


class BinaryOp(IntEnum):
    """What is made of two numbers, by its number in payloads."""

    SUM = 0
    PRODUCT = 1


@dataclass(frozen=True)
class BinaryQs8(OpSpec):
    """The sums or products of what two tensors of bytes stand for, as bytes.

    The second one has the output's sizes, or its last ones: then it is read again for each of the others.
    """

    pairing: BinaryOp
    first: QuantParams
    second: QuantParams
    quantizing: OutputQuantization

    code = 22

    def words(self) -> tuple[int, ...]:
        return (int(self.pairing), *self.first.words(), *self.second.words(), *self.quantizing.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        readings = QuantParams.read(words[1:3]), QuantParams.read(words[3:5])
        return cls(BinaryOp(words[0]), *readings, OutputQuantization.read(words[5:]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3 and sizes[0] == sizes[2], "takes two inputs, gives one output of the first's size")
        self.expect(is_row(sizes[1], sizes[2]), f"{sizes[1]} are not the last sizes of {sizes[2]}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        a, b = dequantized(self.first, inputs[0]), dequantized(self.second, inputs[1])
        outputs[0].copy_(quantized(self.quantizing, a * b if self.pairing is BinaryOp.PRODUCT else a + b))


def is_row(sizes: Sequence[Dim], of: Sequence[Dim]) -> bool:
    """Whether `sizes` are the last ones of `of`, but for ones before them."""
    first = next((place for place, size in enumerate(sizes) if size != 1), len(sizes))
    last = tuple(sizes[first:])
    return len(sizes) <= len(of) and tuple(of[len(of) - len(last) :]) == last


@dataclass(frozen=True)
class LutQs8(NoAttributes):
    """Bytes to bytes, each by itself: x and a table of 256 bytes, by the bits of what is looked up."""

    code = 30

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3 and sizes[0] == sizes[2], "takes two inputs, gives one output of the first's size")
        self.expect(sizes[1] == (256,), f"{sizes[1]} is no table of bytes")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, table = inputs
        outputs[0].copy_(table[x.view(torch.uint8).long()])
