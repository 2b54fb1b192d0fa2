"""Ops that generate, scan, select and scatter elements."""

from dataclasses import dataclass
from typing import ClassVar

from backends.cpu.schema.declarations import ANY, F32, INDEX, Dtype, OpSpec, Tensor

_INT64 = (Dtype.INT64,)


@dataclass(frozen=True)
class Arange(OpSpec):
    """y[i] = start + i * step. Results that int32 cannot represent wrap around."""

    step: int

    code: ClassVar[int] = 40
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[N]", INDEX),)
    dims: ClassVar[tuple[str, ...] | None] = ("start",)


@dataclass(frozen=True)
class Cumsum(OpSpec):
    """Cumulative sum over the middle dimension.

    y[a, r, c] = x[a, 0, c] + ... + x[a, r, c]. If x is float32, y is float32 and sums are
    accumulated in double. Otherwise, y is int64 and sums wrap around.
    """

    code: ClassVar[int] = 41
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[A, R, C]", (*F32, Dtype.BOOL, *INDEX)),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[A, R, C]", (*F32, *_INT64)),)


@dataclass(frozen=True)
class Topk(OpSpec):
    """The k largest or smallest elements of each row, in order.

    k is at most `TOPK_MAX_K` and N. Equal elements keep their order. NaN is larger than any other
    value.

    smallest: select the smallest elements.
    indices: y contains the indices of the elements, as int64, instead of their values.
    """

    smallest: bool
    indices: bool

    code: ClassVar[int] = 42
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[rows, N]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[rows, k]", (*F32, *_INT64)),)


@dataclass(frozen=True)
class MaskedScatter(OpSpec):
    """Copy x, and replace the masked elements with elements of the source, in order.

    `mask` has as many elements as x. `source` has the dtype of x. A call fails if the mask selects
    more elements than the source has.
    """

    code: ClassVar[int] = 50
    inputs: ClassVar[tuple[Tensor, ...]] = (
        Tensor("x", "[...]", ANY),
        Tensor("mask", "[...]", (Dtype.BOOL,)),
        Tensor("source", "[...]", ANY),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", ANY),)
    in_place: ClassVar[int | None] = 0


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
