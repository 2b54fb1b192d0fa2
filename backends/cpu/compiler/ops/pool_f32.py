"""`pool_f32`: the mean or the largest of the pixels below a window."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.compiler.ops.window import padded
from backends.cpu.schema.records import Window

WORDS = 10


class Pooling(IntEnum):
    """What is made of the pixels, by its number in payloads."""

    AVERAGE = 0
    MAX = 1


WHOLE = Window((0, 0))
POOL_WORDS = 1 + WORDS + 2


@dataclass(frozen=True)
class PoolF32(OpSpec):
    """x [B, H, W, C] to [B, Ho, Wo, C].

    window: `WHOLE` for the whole picture, whatever its size.
    count_pads: a mean is divided by the pixels that the window covers, pads among them.
    divisor: a mean is divided by this instead; 0 for none.
    """

    pooling: Pooling
    window: Window = WHOLE
    count_pads: bool = False
    divisor: int = 0

    code = 6

    def words(self) -> tuple[int, ...]:
        return (int(self.pooling), *self.window.words(), int(self.count_pads), self.divisor)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        window, (count_pads, divisor) = words[1 : 1 + WORDS], words[1 + WORDS :]
        return cls(Pooling(words[0]), Window.read(window), bool(count_pads), divisor)

    def check(self, sizes: Sizes) -> None:
        self.expect_picture_of_each(sizes)

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        folded = self.folded(inputs[0])
        outputs[0].copy_(folded if self.pooling is Pooling.MAX else folded / self.divisors(inputs[0]))

    def folded(self, x: Tensor) -> Tensor:
        """The sum or the largest of the pixels below each window."""
        planes = x.permute(0, 3, 1, 2)
        window = self._window(planes)
        if self.pooling is Pooling.MAX:
            image = padded(window, planes, float("-inf"))
            return F.max_pool2d(image, window.kernel, window.stride, 0, window.dilation).permute(0, 2, 3, 1)
        return _sums(padded(window, planes), window).permute(0, 2, 3, 1)

    def divisors(self, x: Tensor) -> Tensor:
        """What the sums are divided by."""
        planes = x.permute(0, 3, 1, 2)
        window = self._window(planes)
        if self.divisor or self.count_pads:
            return torch.tensor(float(self.divisor or window.taps))
        return _sums(padded(window, torch.ones_like(planes)), window).permute(0, 2, 3, 1)

    def _window(self, planes: Tensor) -> Window:
        return self.window if self.window != WHOLE else Window(_sizes(planes), _sizes(planes))


def _sizes(planes: Tensor) -> tuple[int, int]:
    return planes.shape[2], planes.shape[3]


def _sums(planes: Tensor, window: Window) -> Tensor:
    return F.avg_pool2d(planes, window.kernel, window.stride, divisor_override=1)
