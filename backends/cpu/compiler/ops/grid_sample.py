"""`grid_sample`: pictures looked at where a grid says."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import OpSpec, Sizes


class Sampling(IntEnum):
    """What a pixel is made of, by its number in payloads and in PyTorch."""

    LINEAR = 0
    NEAREST = 1
    CUBIC = 2


class Beyond(IntEnum):
    """What lies beyond the edges, by its number in payloads and in PyTorch."""

    ZEROS = 0
    BORDER = 1
    REFLECTION = 2


@dataclass(frozen=True)
class GridSample(OpSpec):
    """x [B, H, W, C] and places [B, Ho, Wo, 2], across and down, from -1 to 1, to [B, Ho, Wo, C].

    corners: whether -1 and 1 are the centers of the corners, instead of their edges.
    """

    sampling: Sampling
    beyond: Beyond
    corners: bool

    code = 44

    def words(self) -> tuple[int, ...]:
        return (int(self.sampling), int(self.beyond), int(self.corners))

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        sampling, beyond, corners = words
        return cls(Sampling(sampling), Beyond(beyond), bool(corners))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3, "takes two inputs, gives one output")
        x, grid, y = sizes
        self.expect(len(x) == len(grid) == len(y) == 4, f"{x}, {grid} and {y} are no pictures")
        self.expect(grid == (*y[:3], 2), f"a grid of {grid} does not give {y}")
        self.expect((x[0], x[3]) == (y[0], y[3]), f"batch or channels of {x} and {y} differ")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        planes = inputs[0].permute(0, 3, 1, 2)
        how = int(self.sampling), int(self.beyond), self.corners
        outputs[0].copy_(torch.grid_sampler_2d(planes, inputs[1], *how).permute(0, 2, 3, 1))
