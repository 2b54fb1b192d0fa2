"""`embedding`: rows of a table, by their numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.compiler.packing import unpanelled


@dataclass(frozen=True)
class Embedding(OpSpec):
    """Table [rows, N] of any dtype, or panels of floats [ceil(rows / 16), N, 16], and indices [...] to [..., N].

    rows: that there are; 0: as many as the table has. Any other index ends the call.
    """

    rows: int

    code = 15

    def words(self) -> tuple[int, ...]:
        return (self.rows,)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(words[0])

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3, "takes two inputs, gives one output")
        table, indices, y = sizes
        self.expect(y == (*indices, table[1]), f"rows of {table} for {indices} do not give {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        table, indices = inputs
        rows = table if table.dim() == 2 else unpanelled(table, self.rows)
        outputs[0].copy_(rows[indices.long()])
