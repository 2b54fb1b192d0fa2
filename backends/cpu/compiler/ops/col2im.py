"""`col2im`: windows of a picture added up where they overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.schema.records import Window


@dataclass(frozen=True)
class Col2im(OpSpec):
    """x [B, Ho, Wo, taps, C], the pixels below each place of the window, to their sums [B, H, W, C].

    window: as it slides over y; its pads are the same before and behind.
    """

    window: Window

    code = 45

    def words(self) -> tuple[int, ...]:
        return self.window.words()

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Window.read(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(len(x) == 5 and len(y) == 4, f"{x} and {y} are no windows and pictures")
        self.expect((x[0], x[3], x[4]) == (y[0], self.window.taps, y[3]), f"windows {x} are not of {y}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        columns = inputs[0].permute(0, 4, 3, 1, 2).flatten(1, 2).flatten(2)
        window, size = self.window, outputs[0].shape[1:3]
        picture = F.fold(columns, size, window.kernel, window.dilation, window.padding[:2], window.stride)
        outputs[0].copy_(picture.permute(0, 2, 3, 1))
