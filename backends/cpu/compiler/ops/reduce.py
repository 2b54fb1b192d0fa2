"""`reduce`: one number of many, over the middle one of three dims."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes


class Reduction(IntEnum):
    """What is made of the numbers, by its number in payloads."""

    SUM = 0
    MEAN = 1
    MOST = 2
    LEAST = 3
    PRODUCT = 4
    FIRST_MOST = 5  # where the largest first stands, int64
    FIRST_LEAST = 6


_FUNCTIONS: dict[Reduction, Callable[..., Tensor]] = {
    Reduction.SUM: torch.sum,
    Reduction.MEAN: torch.mean,
    Reduction.MOST: torch.amax,
    Reduction.LEAST: torch.amin,
    Reduction.PRODUCT: torch.prod,
    Reduction.FIRST_MOST: torch.argmax,
    Reduction.FIRST_LEAST: torch.argmin,
}


@dataclass(frozen=True)
class Reduce(OpSpec):
    """x [outer, count, columns] to [outer, columns]."""

    reduction: Reduction

    code = 10

    def words(self) -> tuple[int, ...]:
        return (int(self.reduction),)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Reduction(words[0]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(len(x) == 3 and y == (x[0], x[2]), f"{x} does not become {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(_FUNCTIONS[self.reduction](inputs[0], 1))
