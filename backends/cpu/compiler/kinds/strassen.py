"""`strassen`: a product of many rows with seven eighths of the multiplications, of sums of quarters of the weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.kinds.activated import Activated
from backends.cpu.compiler.kinds.activation import NONE, Activation
from backends.cpu.compiler.kinds.operation import Sizes
from backends.cpu.compiler.packing import STRASSEN_COLUMNS, STRASSEN_PRODUCTS, unstrassen

# Of depth and columns: halves are whole panels.
MULTIPLE = 32
_RANK_OF_ROWS = 2  # of nothing but rows


@dataclass(frozen=True)
class Strassen(Activated):
    """x [..., K], panels [7 * N / 32, K / 2, 16], bias [N], optional residual [..., N] to [..., N].

    Of three dims or more the first one of x counts examples, whose rows are multiplied on their own.

    pairs: of rows, one of the upper and one of the lower half, that are worked on at once.
    There are two workspaces: sums of quarters of x, and what a thread needs, a row each.
    """

    pairs: int
    activation: Activation = NONE

    code = 47

    @staticmethod
    def rows(x: Sequence[Dim]) -> tuple[Dim, ...]:
        """The dims whose product are the rows of an example of `x`."""
        return tuple(x[1:-1] if len(x) > _RANK_OF_ROWS else x[:-1])

    @staticmethod
    def sums(x: Sequence[Dim]) -> tuple[Dim, Dim]:
        """The sizes of the workspace for sums of quarters of `x`."""
        return (product(Strassen.rows(x)) + 1, x[-1])

    def workspace(self) -> int:
        """Numbers that a thread needs."""
        return self.pairs * STRASSEN_COLUMNS

    def words(self) -> tuple[int, ...]:
        return (*self.activation.words(), self.pairs)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        *activation, pairs = words
        return cls(pairs, Activation.read(activation))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (6, 7), "takes three or four inputs and two workspaces, gives one output")
        x, panels, bias, *residual, y, sums, shared = sizes
        self.expect(x[:-1] == y[:-1], f"rows of {x} and {y} differ")
        self.expect(residual in ([], [y]), "the residual is of another size than the output")
        self.expect(x[-1] % MULTIPLE == y[-1] % MULTIPLE == 0, f"{x[-1]} by {y[-1]} weights have no quarters of panels")
        self.expect(panels == (STRASSEN_PRODUCTS * y[-1] // MULTIPLE, x[-1] // 2, 16), f"panels of {panels}")
        self.expect(bias == (y[-1],), f"a bias of {bias}")
        self.expect(sums == self.sums(x) and shared[1:] == (self.workspace(),), f"workspaces of {sums} and {shared}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, bias, *residual = inputs
        y = F.linear(x, *unstrassen(packed, bias))
        outputs[0].copy_(self.activation(y + residual[0] if residual else y))
