"""`copy`: inputs, in steps of their own, to places of their own in the output."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.schema.words import float_of_word, int_of_word, word_of_float, word_of_int

MAX_INPUTS = 64


@dataclass(frozen=True)
class Copy(OpSpec):
    """Up to `MAX_INPUTS` inputs of the output's rank and dtype.

    strides: of each input and dimension; 0 reads the same element again.
    fill: what stands where no input is copied to.

    The op's `dims` are, for each input and dimension, where reading and where writing begins. As much
    is copied as there is of both.
    """

    strides: tuple[tuple[int, ...], ...]
    fill: float | None = None

    code = 8

    def words(self) -> tuple[int, ...]:
        flat = (word_of_int(stride) for strides in self.strides for stride in strides)
        return (int(self.fill is not None), word_of_float(self.fill or 0.0), *flat)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        """The strides of all inputs in one row: how many dimensions there are is said by the tensors."""
        fills, value, *strides = words
        return cls((tuple(int_of_word(stride) for stride in strides),), float_of_word(value) if fills else None)

    def check(self, sizes: Sizes) -> None:
        *inputs, y = sizes
        self.expect(1 <= len(inputs) <= MAX_INPUTS, f"takes one to {MAX_INPUTS} inputs")
        self.expect(all(len(each) == len(y) for each in inputs), f"ranks of {inputs} and {y} differ")
        self.expect(sum(map(len, self.strides)) == len(inputs) * len(y), "has a step for each input and dimension")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        (y,) = outputs
        if self.fill is not None:
            y.fill_(self.fill)
        strides = iter([stride for each in self.strides for stride in each])
        starts = iter(zip(dims[::2], dims[1::2], strict=True))
        for x in inputs:
            target = y
            for dim in range(y.dim()):
                indices, first = _indices(next(strides), next(starts), x.shape[dim], y.shape[dim])
                x = x.index_select(dim, indices)
                target = target.narrow(dim, first, len(indices))
            target.copy_(x)


def _indices(stride: int, starts: tuple[int, int], x_size: int, y_size: int) -> tuple[Tensor, int]:
    """What of the input is read, and where in the output it goes."""
    start, first = starts
    room = y_size - first
    if stride == 0:
        return torch.full((room,), start), first
    there = torch.arange(start, x_size, stride) if stride > 0 else torch.arange(start, -1, stride)
    return there[:room], first
