"""Reductions over one dimension."""

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from backends.cpu.schema.declarations import F32, Dtype, OpSpec, Tensor


class Reduction(IntEnum):
    """Functions of the elements of a column.

    If an element is NaN, the maximum and minimum are NaN.
    """

    SUM = 0
    MEAN = 1
    MAX = 2
    MIN = 3
    PRODUCT = 4
    ARGMAX = 5
    ARGMIN = 6

    @property
    def is_index(self) -> bool:
        """Whether the result is the index of an element. On ties, it is the first index."""
        return self >= Reduction.ARGMAX


@dataclass(frozen=True)
class Reduce(OpSpec):
    """y[a, c] = reduction of x[a, 0, c], ..., x[a, R - 1, c].

    y is int64 for ARGMAX and ARGMIN, which need R > 0. Otherwise, y is float32.
    """

    reduction: Reduction

    code: ClassVar[int] = 10
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[A, R, C]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[A, C]", (*F32, Dtype.INT64)),)
