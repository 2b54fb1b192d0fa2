"""`adaptive_pool`: means, the largest numbers or where these stand, of windows that share a volume out evenly."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes


class Sharing(IntEnum):
    """What is made of a window, by its number in payloads."""

    MEAN = 0
    LARGEST = 1
    PLACES = 2


@dataclass(frozen=True)
class AdaptivePool(OpSpec):
    """x [B, D, H, W, C] to [B, Do, Ho, Wo, C]; places are int64, of a volume [D, H, W]."""

    sharing: Sharing

    code = 43

    def words(self) -> tuple[int, ...]:
        return (int(self.sharing),)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Sharing(words[0]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 2, "takes one input, gives one output")
        x, y = sizes
        self.expect(len(x) == len(y) == 5, f"{x} and {y} are no volumes")
        self.expect((x[0], x[4]) == (y[0], y[4]), f"batch or channels of {x} and {y} differ")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        volume, (depth, height, width) = inputs[0].permute(0, 4, 1, 2, 3), outputs[0].shape[1:4]
        if self.sharing is Sharing.MEAN:
            found = F.adaptive_avg_pool3d(volume, (depth, height, width))
        else:
            found = F.adaptive_max_pool3d(volume, (depth, height, width), return_indices=True)[self.sharing - 1]
        outputs[0].copy_(found.permute(0, 2, 3, 4, 1))
