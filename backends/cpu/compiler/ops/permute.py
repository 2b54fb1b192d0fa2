"""`permute`: the same elements with dimensions in another order; a copy when it is the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes


@dataclass(frozen=True)
class Permute(OpSpec):
    """Dimension i of the output is dimension `permutation[i]` of the input, of any dtype."""

    permutation: tuple[int, ...]

    code = 7

    def words(self) -> tuple[int, ...]:
        return self.permutation

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(tuple(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(y == tuple(x[dim] for dim in self.permutation), f"{x} does not become {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        outputs[0].copy_(inputs[0].permute(self.permutation))
