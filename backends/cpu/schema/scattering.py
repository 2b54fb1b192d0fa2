"""Ops that add elements at indices."""

from dataclasses import dataclass
from typing import ClassVar

from backends.cpu.schema.declarations import INDEX, OpSpec, Tensor


@dataclass(frozen=True)
class ScatterAdd(OpSpec):
    """Copy x to y, and add each source[a, s, c] to y[a, index[a, s, c], c].

    Elements are added in the order of s. A call fails if an index is not in 0..R - 1.
    """

    code: ClassVar[int] = 51
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("x", "[A, R, C]"),
        Tensor("index", "[A, S, C]", INDEX),
        Tensor("source", "[A, S, C]"),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[A, R, C]"),)
