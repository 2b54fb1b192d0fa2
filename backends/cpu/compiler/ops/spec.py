"""The base class of ops that the schema does not declare yet."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from torch import Tensor

from backends.cpu.compiler.dims import Dim
from backends.cpu.schema import declarations as schema
from exir.error import internal_assert

Sizes = Sequence[tuple[Dim, ...]]


class OpSpec(schema.OpSpec, ABC):
    """The attributes of an op; a subclass is one kind of op, a frozen dataclass.

    code: its number in payloads (`backends/cpu/ops/op_codes.h`).
    in_place: the input that output 0 may lie on; None where outputs overlap nothing.
    """

    @abstractmethod
    def words(self) -> tuple[int, ...]:
        """The attributes as the payload has them."""

    @classmethod
    @abstractmethod
    def read(cls, words: Sequence[int]) -> Self:
        """The operation of attributes that `words` gave."""

    @abstractmethod
    def check(self, sizes: Sizes) -> None:
        """Raise `InternalError` unless an op may have inputs, outputs and workspaces of these sizes."""

    @abstractmethod
    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        """Compute `outputs` from `inputs` in PyTorch: the reference semantics."""

    def expect(self, holds: Any, what: str) -> None:
        """Raise `InternalError` unless `holds`."""
        internal_assert(bool(holds), f"{self}: {what}")

    def expect_picture_of_each(self, sizes: Sizes) -> None:
        """Raise `InternalError` unless pictures become as many pictures of as many channels."""
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(x[3] == y[3], f"channels of {x} and {y} differ")


class NoAttributes(OpSpec):
    """A kind of op that has no attributes."""

    def words(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls()
