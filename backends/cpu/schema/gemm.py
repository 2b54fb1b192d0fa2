"""Matrix multiplications with prepacked weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
from typing import Any, ClassVar

from backends.cpu.schema.activated import Activated
from backends.cpu.schema.declarations import F16, Tensor, bounds, optional
from backends.cpu.schema.records import NONE, Activation

STRASSEN_MULTIPLE = 32
"""K and N of `strassen_f32` are multiples of this, so that halves are whole panels."""
STRASSEN_COLUMNS = 64
"""Columns of a half whose products a thread keeps in its workspace."""

_RANK_OF_ROWS = 2

_X = Tensor("x", "[..., K]")
_WEIGHTS = "[ceil(N / 16), K, 16]"
_BIAS = Tensor("bias", "[...]")
_RESIDUAL = optional("residual", "[..., N]")


@dataclass(frozen=True)
class GemmF32(Activated):
    """y = activation(x @ weights + bias + residual).

    `weights` has columns in panels of 16, padded with zeros; `bias` has as many elements as columns are padded to.
    """

    activation: Activation = NONE

    code: ClassVar[int] = 1
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", _WEIGHTS), _BIAS, _RESIDUAL)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)


@dataclass(frozen=True)
class GemmF32F16w(GemmF32):
    """`gemm_f32` with float16 or bfloat16 weights. Results have the bits of `gemm_f32` on the widened weights."""

    code: ClassVar[int] = 33
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", _WEIGHTS, F16), _BIAS, _RESIDUAL)


@dataclass(frozen=True)
class StrassenF32(Activated):
    """`gemm_f32` of many rows by one level of Strassen's algorithm, with 7 instead of 8 multiplications.

    Rows of the upper half of an example are paired with rows of the lower half. If x has rank 3 or more, its first
    dimension counts examples. K and N are multiples of 32. `weights` has the seven sums of quarters of the weights:
    of each 64 columns of a half, the panels of one sum after the other. The right half of `bias` is stored minus the
    left half.

    pairs: pairs of rows that a thread computes at once.
    """

    activation: Activation = NONE
    pairs: int = field(default=1, metadata=bounds(1, 1 << 20))

    code: ClassVar[int] = 47
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", "[7 * N / 32, K / 2, 16]"), _BIAS, _RESIDUAL)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)
    workspaces: ClassVar[tuple[Tensor, ...]] = (
        Tensor("sums", "[rows + 1, K]"),
        Tensor("products", "[threads, pairs * 64]"),
    )

    @staticmethod
    def rows(x: Sequence[Any]) -> tuple[Any, ...]:
        """Return the sizes whose product is the number of rows of an example of shape `x`."""
        return tuple(x[1:-1] if len(x) > _RANK_OF_ROWS else x[:-1])

    @staticmethod
    def sums(x: Sequence[Any]) -> tuple[Any, Any]:
        """Return the shape of `sums` for an input of shape `x`."""
        return (reduce(mul, StrassenF32.rows(x), 1) + 1, x[-1])

    def workspace(self) -> int:
        """Return the number of floats that a thread needs in `products`."""
        return self.pairs * STRASSEN_COLUMNS
