"""`pool_qs8`: the mean or the largest of the pixels of bytes below a window."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.ops.pool_f32 import POOL_WORDS, PoolF32, Pooling
from backends.cpu.compiler.ops.quantization import quantized
from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.schema.records import OutputQuantization, QuantParams


@dataclass(frozen=True)
class PoolQs8(OpSpec):
    """x [B, H, W, C] to [B, Ho, Wo, C]; pixels are added up in integers, pads are zeros."""

    pool: PoolF32
    reading: QuantParams
    quantizing: OutputQuantization

    code = 31

    def words(self) -> tuple[int, ...]:
        return (*self.pool.words(), *self.reading.words(), *self.quantizing.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        pool, rest = PoolF32.read(words[:POOL_WORDS]), words[POOL_WORDS:]
        return cls(pool, QuantParams.read(rest[:2]), OutputQuantization.read(rest[2:]))

    def check(self, sizes: Sizes) -> None:
        self.pool.check(sizes)

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        pixels = inputs[0].double() - self.reading.zero_point
        total = self.pool.folded(pixels).float() * self.reading.scale
        if self.pool.pooling is Pooling.AVERAGE:
            total = total / self.pool.divisors(pixels).float()
        outputs[0].copy_(quantized(self.quantizing, total))
