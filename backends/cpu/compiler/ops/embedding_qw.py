"""`embedding_qw`: rows of a table of few bits, by their numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.compiler.ops.weight_offset import WeightOffset
from backends.cpu.compiler.packing import dequantized_panels


@dataclass(frozen=True)
class EmbeddingQw(OpSpec):
    """Words [ceil(rows / 16), N * bits / 32, 16] and scales [ceil(rows / 16), groups, 16] as `gemm_f32_qbw` has them,
    indices [...] of whole numbers, zero points or minima like scales as `shift` says, to [..., N]."""

    rows: int
    bits: int
    shift: WeightOffset

    code = 28

    def words(self) -> tuple[int, ...]:
        return (self.rows, self.bits, int(self.shift))

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        rows, bits, shift = words
        return cls(rows, bits, WeightOffset(shift))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == (5 if self.shift else 4), "takes three inputs or four, gives one output")
        words, indices, y = sizes[0], sizes[2], sizes[-1]
        width = int(words[1]) * 32 // self.bits
        self.expect(y == (*indices, width), f"rows of {width} for {indices} do not give {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        packed, scales, indices, *others = inputs
        points, minima = self.shift.parameters(others[0] if others else None)
        table = dequantized_panels(packed, scales, points, self.rows, self.bits, minima)
        outputs[0].copy_(table[indices.long()])
