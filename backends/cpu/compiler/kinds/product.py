"""`product`: x [..., K] times a constant matrix, plus bias, plus a residual."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.kinds.activated import Activated
from backends.cpu.compiler.kinds.activation import NONE, Activation
from backends.cpu.compiler.kinds.operation import Sizes
from backends.cpu.compiler.packing import unpanelled


@dataclass(frozen=True)
class Product(Activated):
    """x [..., K], panels [ceil(N / 16), K, 16], bias, optional residual [..., N] to [..., N]."""

    activation: Activation = NONE

    code = 1

    @property
    def without_residual(self) -> int:
        return 3

    def words(self) -> tuple[int, ...]:
        return self.activation.words()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Activation.read(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (4, 5), "takes three or four inputs, gives one output")
        x, y = sizes[0], sizes[-1]
        self.expect(x[:-1] == y[:-1], f"rows of {x} and {y} differ")
        self.expect(len(sizes) == 4 or sizes[3] == y, "the residual is of another size than the output")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, bias, *residual = inputs
        n = outputs[0].shape[-1]
        y = F.linear(x, unpanelled(packed, n), bias.flatten()[:n])
        outputs[0].copy_(self.activation(y + residual[0] if residual else y))


@dataclass(frozen=True)
class ProductH(Product):
    """The same of panels that are float16 or bfloat16."""

    code = 33

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, *others = inputs
        super().run([x, packed.float(), *others], outputs, dims)
