"""`resize`: pictures brought to other sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.schema.words import float_of_word, word_of_float

_aten = torch.ops.aten


class Resizing(IntEnum):
    """What a pixel is made of, by its number in payloads."""

    NEAREST = 0  # the pixel at the place of its corner
    NEAREST_EXACT = 1  # at the place of its center
    LINEAR = 2
    CUBIC = 3


@dataclass(frozen=True)
class Resize(OpSpec):
    """x [B, H, W, C] to [B, Ho, Wo, C].

    corners: whether the centers of corners lie on each other, instead of their edges.
    scales: pixels of x, of height and of width, that one of the output goes on by; 0 for what the sizes say.
    """

    resizing: Resizing
    corners: bool = False
    scales: tuple[float, float] = (0.0, 0.0)

    code = 16

    def words(self) -> tuple[int, ...]:
        return (int(self.resizing), int(self.corners), *(word_of_float(scale) for scale in self.scales))

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Resizing(words[0]), bool(words[1]), (float_of_word(words[2]), float_of_word(words[3])))

    def check(self, sizes: Sizes) -> None:
        self.expect_picture_of_each(sizes)

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        planes, size = inputs[0].permute(0, 3, 1, 2), list(outputs[0].shape[1:3])
        factors = [1 / scale if scale else None for scale in self.scales]
        corners = [self.corners] if self.resizing >= Resizing.LINEAR else []
        outputs[0].copy_(_FUNCTIONS[self.resizing](planes, size, *corners, *factors).permute(0, 2, 3, 1))


_FUNCTIONS = {
    Resizing.NEAREST: _aten.upsample_nearest2d.default,
    Resizing.NEAREST_EXACT: _aten._upsample_nearest_exact2d.default,
    Resizing.LINEAR: _aten.upsample_bilinear2d.default,
    Resizing.CUBIC: _aten.upsample_bicubic2d.default,
}
