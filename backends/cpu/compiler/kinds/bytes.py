"""`quantize`, `dequantize` and `map_i8`: element by element, between floats and bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.kinds.operation import Operation, Sizes
from backends.cpu.compiler.kinds.quantizing import Quantizing, Reading


@dataclass(frozen=True)
class Quantize(Operation):
    """Floats to bytes of as many elements."""

    quantizing: Quantizing

    code = 17

    def words(self) -> tuple[int, ...]:
        return self.quantizing.words()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Quantizing.read(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2 and sizes[0] == sizes[1], "takes one input, gives one output of its size")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(self.quantizing(inputs[0]))


@dataclass(frozen=True)
class Dequantize(Operation):
    """Bytes to floats."""

    reading: Reading

    code = 18

    def words(self) -> tuple[int, ...]:
        return self.reading.words()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Reading.read(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2 and sizes[0] == sizes[1], "takes one input, gives one output of its size")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(self.reading(inputs[0]))


@dataclass(frozen=True)
class MapI8(Operation):
    """The sum of what two tensors of bytes stand for, as bytes."""

    first: Reading
    second: Reading
    quantizing: Quantizing

    code = 22

    def words(self) -> tuple[int, ...]:
        return (*self.first.words(), *self.second.words(), *self.quantizing.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Reading.read(words[:2]), Reading.read(words[2:4]), Quantizing.read(words[4:]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3 and len({*sizes}) == 1, "takes two inputs, gives one output of their size")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(self.quantizing(self.first(inputs[0]) + self.second(inputs[1])))
