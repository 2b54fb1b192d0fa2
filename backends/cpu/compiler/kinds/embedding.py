"""`embedding`: rows of a table, by their numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.kinds.operation import Operation, Sizes


@dataclass(frozen=True)
class Embedding(Operation):
    """Table [rows, N] of any dtype and indices [...] of whole numbers to [..., N]."""

    code = 15

    def words(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls()

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3, "takes two inputs, gives one output")
        table, indices, y = sizes
        self.expect(y == (*indices, table[1]), f"rows of {table} for {indices} do not give {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        table, indices = inputs
        outputs[0].copy_(table[indices.long()])
