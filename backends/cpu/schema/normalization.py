"""Ops that normalize rows."""

from dataclasses import dataclass
from typing import ClassVar

from backends.cpu.schema.declarations import OpSpec, Tensor, optional


@dataclass(frozen=True)
class Softmax(OpSpec):
    """Softmax over the last dimension, or its logarithm.

    The order of summation is the same for every instruction set.
    """

    logarithm: bool = False

    code: ClassVar[int] = 11
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[..., N]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)
    in_place: ClassVar[int | None] = 0


@dataclass(frozen=True)
class Norm(OpSpec):
    """Normalization over the last dimension.

    y = (x - mean) / sqrt(variance + epsilon) * scale + shift.

    centered: subtract the mean (layer norm). Otherwise, divide by the root of the mean square (RMS
        norm).
    """

    centered: bool
    epsilon: float

    code: ClassVar[int] = 12
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[..., N]"), optional("scale", "[N]"), optional("shift", "[N]"))
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[..., N]"),)
    in_place: ClassVar[int | None] = 0
