"""How bytes stand for numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import torch
from torch import Tensor

from backends.cpu.compiler.kinds.words import float_of_word, int_of_word, word_of_float, word_of_int


@dataclass(frozen=True)
class Reading:
    """Bytes that stand for (byte - zero_point) * scale."""

    zero_point: int
    scale: float

    def words(self) -> tuple[int, ...]:
        """As the payload has it."""
        return word_of_int(self.zero_point), word_of_float(self.scale)

    @staticmethod
    def read(words: Sequence[int]) -> "Reading":
        """The reading of two words."""
        return Reading(int_of_word(words[0]), float_of_word(words[1]))

    def __call__(self, codes: Tensor) -> Tensor:
        """The numbers."""
        return (codes.float() - self.zero_point) * self.scale


@dataclass(frozen=True)
class Quantizing:
    """A number becomes round(number * inverse) + zero_point, and no less than `low`, no more than `high`."""

    inverse: float
    zero_point: int
    low: int
    high: int

    def words(self) -> tuple[int, ...]:
        """As the payload has it."""
        return word_of_float(self.inverse), *(word_of_int(each) for each in (self.zero_point, self.low, self.high))

    @staticmethod
    def read(words: Sequence[int]) -> "Quantizing":
        """The quantizing of four words."""
        return Quantizing(float_of_word(words[0]), *(int_of_word(word) for word in words[1:]))

    def __call__(self, x: Tensor) -> Tensor:
        """The bytes as floats."""
        return self._rounded(x * self.inverse)

    def of_sums(self, sums: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
        """The bytes of sums * scale + bias as floats, computed in steps of theirs."""
        return self._rounded(sums.float() * (scale * self.inverse) + bias * self.inverse)

    def _rounded(self, steps: Tensor) -> Tensor:
        return (torch.round(steps) + self.zero_point).clamp(self.low, self.high)

    def clamped(self, low: float, high: float) -> "Quantizing":
        """The same of numbers that were clamped before: rounding keeps their order."""
        lowest, highest = (self._byte(bound) for bound in (low, high))
        return replace(self, low=lowest, high=highest)

    def _byte(self, number: float) -> int:
        if not isfinite(number):
            return self.high if number > 0 else self.low
        return int(self(torch.tensor(number)))
