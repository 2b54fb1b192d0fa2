"""`matmul`: products of matrices that are both computed, in batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes

# Floats of the second matrix that a thread packs at once (`microkernels/matmul.h`).
WORKSPACE = 64 * 256


@dataclass(frozen=True)
class Matmul(OpSpec):
    """a [..., M, K] and b [..., K, N], or [..., N, K], to [..., M, N]; batch dims of a and b may be 1.

    transposed: whether b is [..., N, K].
    """

    transposed: bool

    code = 13

    def words(self) -> tuple[int, ...]:
        return (int(self.transposed),)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(bool(words[0]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 4, "takes two inputs, gives one output, has one workspace")
        a, b, y, _ = sizes
        depth, columns = b[-2:][::-1] if self.transposed else b[-2:]
        self.expect(len(a) == len(b) == len(y), f"ranks of {a}, {b} and {y} differ")
        self.expect(a[-1] == depth and y[-2:] == (a[-2], columns), f"{a} and {b} do not give {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        a, b = inputs
        outputs[0].copy_(torch.matmul(a, b.transpose(-1, -2) if self.transposed else b))
