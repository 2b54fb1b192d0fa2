"""`norm`: rows brought to mean 0 and variance 1, or to mean square 1; then scaled and shifted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.kinds.operation import Operation, Sizes
from backends.cpu.compiler.kinds.words import float_of_word, word_of_float


@dataclass(frozen=True)
class Norm(Operation):
    """x [..., N], optional scale [N], then optional shift [N] to an output of x's sizes.

    centered: whether the mean is taken off first (layer norm) or not (RMS norm).
    """

    centered: bool
    epsilon: float

    code = 12
    in_place = 0

    def words(self) -> tuple[int, ...]:
        return (int(self.centered), word_of_float(self.epsilon))

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(bool(words[0]), float_of_word(words[1]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (2, 3, 4), "takes one to three inputs, gives one output")
        x, *rows, y = sizes
        self.expect(x == y, f"{x} does not become {y}")
        self.expect(all(row == x[-1:] for row in rows), f"scale and shift {rows} do not fit {x}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, scale, shift, *_ = (*inputs, None, None)
        assert x is not None
        if self.centered:
            outputs[0].copy_(F.layer_norm(x, x.shape[-1:], scale, shift, self.epsilon))
        else:
            y = F.rms_norm(x, x.shape[-1:], scale, self.epsilon)
            outputs[0].copy_(y if shift is None else y + shift)
