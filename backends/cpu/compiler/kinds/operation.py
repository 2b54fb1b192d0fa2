"""What every kind of step says of itself."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from torch import Tensor

from backends.cpu.compiler.dims import Dim
from exir.error import internal_assert

Sizes = Sequence[tuple[Dim, ...]]


class Operation(ABC):
    """The attributes of a step; a subclass is one kind of step, a frozen dataclass.

    code: its number in payloads (`backends/cpu/steps/kinds.h`).
    in_place: the input that output 0 may lie on; None where outputs overlap nothing.
    """

    code: ClassVar[int]
    in_place: ClassVar[int | None] = None

    @classmethod
    def kind(cls) -> str:
        """The name of the kind: `ConvolutionI8` is convolution_i8."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()

    @abstractmethod
    def words(self) -> tuple[int, ...]:
        """The attributes as the payload has them."""

    @classmethod
    @abstractmethod
    def read(cls, words: Sequence[int]) -> Self:
        """The operation of attributes that `words` gave."""

    @abstractmethod
    def check(self, sizes: Sizes) -> None:
        """Raise `InternalError` unless a step may have inputs, outputs and workspaces of these sizes."""

    @abstractmethod
    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        """What the step means: compute `outputs` from `inputs`, in torch."""

    def expect(self, holds: Any, what: str) -> None:
        """Raise `InternalError` unless `holds`."""
        internal_assert(bool(holds), f"{self}: {what}")

    def expect_picture_of_each(self, sizes: Sizes) -> None:
        """Raise `InternalError` unless pictures become as many pictures of as many channels."""
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(x[3] == y[3], f"channels of {x} and {y} differ")


class Bare(Operation):
    """A kind of step that has no attributes."""

    def words(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls()
