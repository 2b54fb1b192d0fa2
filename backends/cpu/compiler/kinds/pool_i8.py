"""`pool_i8`: the mean or the largest of the pixels of bytes below a window."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.kinds.operation import Operation, Sizes
from backends.cpu.compiler.kinds.pool import POOL_WORDS, Pool, Pooling
from backends.cpu.compiler.kinds.quantizing import Quantizing, Reading


@dataclass(frozen=True)
class PoolI8(Operation):
    """x [B, H, W, C] to [B, Ho, Wo, C]; pixels are added up in integers, pads are zeros."""

    pool: Pool
    reading: Reading
    quantizing: Quantizing

    code = 31

    def words(self) -> tuple[int, ...]:
        return (*self.pool.words(), *self.reading.words(), *self.quantizing.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        pool, rest = Pool.read(words[:POOL_WORDS]), words[POOL_WORDS:]
        return cls(pool, Reading.read(rest[:2]), Quantizing.read(rest[2:]))

    def check(self, sizes: Sizes) -> None:
        self.pool.check(sizes)

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        pixels = inputs[0].double() - self.reading.zero_point
        total = self.pool.folded(pixels).float() * self.reading.scale
        if self.pool.pooling is Pooling.AVERAGE:
            total = total / self.pool.divisors(pixels).float()
        outputs[0].copy_(self.quantizing(total))
