"""`winograd_f32`: convolution 3 x 3 with stride 1 by F(4 x 4, 3 x 3) or F(2 x 2, 3 x 3): fewer multiplications, as products."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.activated import Activated
from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.spec import Sizes
from backends.cpu.compiler.ops.window import padded
from backends.cpu.compiler.packing import unpanelled
from backends.cpu.schema.records import NONE, Activation, Padding, Window

WINDOW = 3
# Columns of products that are transformed back at once.
_COLUMNS = 64

# For results of 2 x 2 and of 4 x 4: B^T of a tile of the input and A^T of one of the output; Lavin and Gray, "Fast
# Algorithms for Convolutional Neural Networks" (2015), at the points 0, 1, -1 and infinity, and 2 and -2 for 4 x 4.
_INPUT = {
    2: torch.tensor([[1.0, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]),
    4: torch.tensor(
        [
            [4.0, 0, -5, 0, 1, 0],
            [0, -4, -4, 1, 1, 0],
            [0, 4, -4, -1, 1, 0],
            [0, -2, -1, 2, 1, 0],
            [0, 2, -1, -2, 1, 0],
            [0, 4, 0, -5, 0, 1],
        ]
    ),
}
_OUTPUT = {
    2: torch.tensor([[1.0, 1, 1, 0], [0, 1, -1, -1]]),
    4: torch.tensor([[1.0, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]),
}


@dataclass(frozen=True)
class WinogradF32(Activated):
    """x [B, H, W, C], panels [positions, ceil(N / 16), C, 16], bias, optional residual to [B, Ho, Wo, N].

    side: of the results of a tile, 2 or 4.
    tiles: that are worked on at once. The workspace has a row a thread.
    """

    padding: Padding
    side: int
    tiles: int
    activation: Activation = NONE

    code = 4

    @property
    def window(self) -> Window:
        """The window of the convolution that it is."""
        return Window((WINDOW, WINDOW), padding=self.padding)

    @property
    def positions(self) -> int:
        """Of a tile."""
        return (self.side + WINDOW - 1) ** 2

    def tile(self, channels: int) -> int:
        """Numbers of a tile at all positions, and of some columns of its products."""
        return self.positions * (channels + _COLUMNS)

    def workspace(self, channels: int) -> int:
        """Numbers that a thread needs: those of the tiles, and the pixels of one."""
        return self.tiles * self.tile(channels) + self.positions * channels

    def words(self) -> tuple[int, ...]:
        return (*self.padding, self.side, self.tiles, *self.activation.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        top, left, bottom, right, side, tiles, *activation = words
        return cls((top, left, bottom, right), side, tiles, Activation.read(activation))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (5, 6), "takes three or four inputs and a workspace, gives one output")
        x, y = sizes[0], sizes[-2]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(sizes[1] == (self.positions, -(-y[3] // 16), x[3], 16), f"panels of {sizes[1]}")
        self.expect(sizes[-1][1:] == (self.workspace(x[3]),), f"workspace of {sizes[-1]}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, bias, *residual = inputs
        n = outputs[0].shape[3]
        y = self._convolve(x.permute(0, 3, 1, 2), unpanelled(packed, n), outputs[0].shape[1:3])
        y = y.permute(0, 2, 3, 1) + bias.flatten()[:n]
        outputs[0].copy_(activate(self.activation, y + residual[0] if residual else y))

    def _convolve(self, planes: Tensor, weight: Tensor, size: Sequence[int]) -> Tensor:
        """`weight` is [positions, N, C]."""
        side, across = self.side, self.side + WINDOW - 1
        image = padded(self.window, planes)
        more = [-size[axis] % side for axis in (0, 1)]
        tiles = F.pad(image, (0, more[1], 0, more[0])).unfold(2, across, side).unfold(3, across, side)
        transformed = _INPUT[side] @ tiles @ _INPUT[side].t()
        products = torch.einsum("pnc,bcijp->bnijp", weight, transformed.flatten(4))
        outputs = _OUTPUT[side] @ products.unflatten(4, (across, across)) @ _OUTPUT[side].t()
        batch, n, rows, columns = outputs.shape[:4]
        joined = outputs.permute(0, 1, 2, 4, 3, 5).reshape(batch, n, rows * side, columns * side)
        return joined[:, :, : size[0], : size[1]]
