"""`gemm_f32_qbw`: x [..., K] times a constant matrix of few bits, plus bias, plus a residual."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.ops.activated import Activated
from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.spec import Sizes
from backends.cpu.compiler.ops.weight_offset import WeightOffset
from backends.cpu.compiler.packing import dequantized_panels
from backends.cpu.schema.records import NONE, Activation

MOST_PRODUCTS = 4


@dataclass(frozen=True)
class FewBits(Activated):
    """A product by words of codes.

    bits: of a code, 4 or 8.
    shift: what there is for each group beside its scale.
    """

    bits: int
    shift: WeightOffset
    activation: Activation = NONE

    def words(self) -> tuple[int, ...]:
        return (self.bits, int(self.shift), *self.activation.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        bits, shift, *activation = words
        return cls(bits, WeightOffset(shift), Activation.read(activation))


@dataclass(frozen=True)
class GemmF32Qbw(FewBits):
    """x [..., K], words [ceil(N / 16), K * bits / 32, 16], scales [ceil(N / 16), groups, 16], bias, zero points or
    minima like scales as `shift` says, optional residual [..., N] to [..., N].

    Or of one row up to `MOST_PRODUCTS` products, each with all but x of its own, without residuals.
    """

    code = 23

    @property
    def without_residual(self) -> int:
        return 5 if self.shift else 4

    def check(self, sizes: Sizes) -> None:
        count, own = self.without_residual, self.without_residual - 1
        products, residuals = divmod(len(sizes) - 1, own + 1)
        fits = 1 <= products <= MOST_PRODUCTS and residuals <= (products == 1)
        self.expect(fits, f"takes {count} or {count + 1} inputs for an output, or x and {own} for each of several")
        x = sizes[0]
        for y in sizes[len(sizes) - products :]:
            self.expect(x[:-1] == y[:-1], f"rows of {x} and {y} differ")
        self.expect(products == 1 or product(x[:-1]) == 1, f"several products are of one row, not of {x}")
        self.expect(not residuals or sizes[count] == sizes[-1], "the residual is of another size than the output")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        own = self.without_residual - 1
        residual = inputs[own + 1] if len(inputs) > len(outputs) * own + 1 else 0
        for index, output in enumerate(outputs):
            y = self._product(inputs[0], inputs[1 + index * own :][:own], output.shape[-1])
            output.copy_(activate(self.activation, y + residual))

    def _product(self, x: Tensor, weight: Sequence[Tensor], n: int) -> Tensor:
        packed, scales, bias, *shifts = weight
        points, minima = self.shift.parameters(shifts[0] if shifts else None)
        return F.linear(x, dequantized_panels(packed, scales, points, n, self.bits, minima), bias.flatten()[:n])
