"""Ops that move elements without arithmetic."""

from dataclasses import dataclass, field
from typing import ClassVar

from backends.cpu.schema.declarations import ANY, OpSpec, Tensor, bounds, many
from backends.cpu.schema.kernel_sizes import MAX_RANK

COPY_INPUTS = 64
"""Maximum number of inputs of `copy`."""


@dataclass(frozen=True)
class Copy(OpSpec):
    """Copy a strided region of each input to a region of the output.

    Along each dimension, element start + k * stride of an input is copied to element first + k of
    y, for all k within the bounds of both tensors. Slices, concatenation, padding, expansion and
    flips are copies. Inputs have the rank and the dtype of y. Later inputs overwrite earlier ones.

    dims: (start, first) for each input and dimension.
    fill: value of the elements that no input covers, if y is float32; None for zeros.
    strides: stride for each input and dimension. Stride 0 repeats one element, and a negative
        stride flips.
    """

    fill: float | None
    strides: tuple[int, ...]

    code: ClassVar[int] = 8
    inputs: ClassVar[tuple[Tensor, ...]] = (many("inputs", (1, COPY_INPUTS), "[...]", ANY),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", ANY),)
    dims: ClassVar[tuple[str, ...] | None] = None


@dataclass(frozen=True)
class Permute(OpSpec):
    """Dimension i of y is dimension permutation[i] of x. Both have the same dtype.

    The identity permutation copies x.
    """

    permutation: tuple[int, ...] = field(metadata=bounds(0, MAX_RANK - 1))

    code: ClassVar[int] = 7
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[...]", ANY),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[...]", ANY),)
