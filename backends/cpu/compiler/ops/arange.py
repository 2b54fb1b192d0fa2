"""`arange`: whole numbers that go up or down evenly from one that the call says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.schema.words import int_of_word, word_of_int


@dataclass(frozen=True)
class Arange(OpSpec):
    """No inputs to [n] of int64 or int32: the op's dim, and `by` more each time."""

    by: int

    code = 40

    def words(self) -> tuple[int, ...]:
        return (word_of_int(self.by),)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(int_of_word(words[0]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 1 and len(sizes[0]) == 1, "takes no inputs, gives one row")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        (y,) = outputs
        y.copy_(torch.arange(y.numel()) * self.by + dims[0])
