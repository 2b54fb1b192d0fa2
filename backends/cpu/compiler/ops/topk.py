"""`topk`: the largest or smallest numbers of each row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes

MOST = 64


@dataclass(frozen=True)
class Topk(OpSpec):
    """x [rows, n] to [rows, k], k at most `MOST`: numbers, or where they stand, int64; in order, of equal ones the first."""

    smallest: bool
    places: bool

    code = 42

    def words(self) -> tuple[int, ...]:
        return (int(self.smallest), int(self.places))

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(bool(words[0]), bool(words[1]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(len(x) == len(y) == 2 and x[0] == y[0], f"rows of {x} and {y} differ")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        found = torch.sort(inputs[0], dim=-1, descending=not self.smallest, stable=True)
        outputs[0].copy_(found[int(self.places)][:, : outputs[0].shape[1]])
