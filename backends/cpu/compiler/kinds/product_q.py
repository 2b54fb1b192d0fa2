"""`product_q`: x [..., K] times a constant matrix of few bits, plus bias, plus a residual."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.kinds.activated import Activated
from backends.cpu.compiler.kinds.activation import NONE, Activation
from backends.cpu.compiler.kinds.operation import Sizes
from backends.cpu.compiler.kinds.shift import Shift
from backends.cpu.compiler.packing import dequantized_panels


@dataclass(frozen=True)
class FewBits(Activated):
    """A product by words of codes.

    bits: of a code, 4 or 8.
    shift: what there is for each group beside its scale.
    """

    bits: int
    shift: Shift
    activation: Activation = NONE

    def words(self) -> tuple[int, ...]:
        return (self.bits, int(self.shift), *self.activation.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        bits, shift, *activation = words
        return cls(bits, Shift(shift), Activation.read(activation))


@dataclass(frozen=True)
class ProductQ(FewBits):
    """x [..., K], words [ceil(N / 16), K * bits / 32, 16], scales [ceil(N / 16), groups, 16], bias, zero points or
    minima like scales as `shift` says, optional residual [..., N] to [..., N]."""

    code = 23

    @property
    def without_residual(self) -> int:
        return 5 if self.shift else 4

    def check(self, sizes: Sizes) -> None:
        count = self.without_residual
        self.expect(len(sizes) in (count + 1, count + 2), f"takes {count} or {count + 1} inputs, gives one output")
        x, y = sizes[0], sizes[-1]
        self.expect(x[:-1] == y[:-1], f"rows of {x} and {y} differ")
        self.expect(len(sizes) == count + 1 or sizes[count] == y, "the residual is of another size than the output")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, scales, bias, *others = inputs
        n = outputs[0].shape[-1]
        points, minima = self.shift.parameters(others.pop(0) if self.shift else None)
        y = F.linear(x, dequantized_panels(packed, scales, points, n, self.bits, minima), bias.flatten()[:n])
        outputs[0].copy_(self.activation(y + others[0] if others else y))
