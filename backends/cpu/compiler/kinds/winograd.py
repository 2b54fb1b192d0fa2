"""`winograd`: convolution 3 x 3 with stride 1 by F(4 x 4, 3 x 3): a quarter of the multiplications, as products."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.kinds.activated import Activated
from backends.cpu.compiler.kinds.activation import NONE, Activation
from backends.cpu.compiler.kinds.operation import Sizes
from backends.cpu.compiler.kinds.window import Pads, Window
from backends.cpu.compiler.packing import unpanelled

TILE = 4
WINDOW = 3
POSITIONS = (TILE + WINDOW - 1) ** 2

# B^T of a tile of the input and A^T of one of the output; Lavin and Gray, "Fast Algorithms for
# Convolutional Neural Networks" (2015), at the points 0, 1, -1, 2, -2 and infinity.
_INPUT = torch.tensor(
    [
        [4.0, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ]
)
_OUTPUT = torch.tensor([[1.0, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]])


@dataclass(frozen=True)
class Winograd(Activated):
    """x [B, H, W, C], panels [36, ceil(N / 16), C, 16], bias, optional residual to [B, Ho, Wo, N].

    tiles: of 4 x 4 pixels, that are worked on at once. The workspace has a row a thread.
    """

    pads: Pads
    tiles: int
    activation: Activation = NONE

    code = 4

    @property
    def window(self) -> Window:
        """The window of the convolution that it is."""
        return Window((WINDOW, WINDOW), pads=self.pads)

    def workspace(self, channels: int) -> int:
        """Numbers that a thread needs: tiles of the input at all positions, their products, one tile's pixels."""
        return POSITIONS * (self.tiles * (channels + 16) + channels)

    def words(self) -> tuple[int, ...]:
        return (*self.pads, self.tiles, *self.activation.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        top, left, bottom, right, tiles, *activation = words
        return cls((top, left, bottom, right), tiles, Activation.read(activation))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (5, 6), "takes three or four inputs and a workspace, gives one output")
        x, y = sizes[0], sizes[-2]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(sizes[1] == (POSITIONS, -(-y[3] // 16), x[3], 16), f"panels of {sizes[1]}")
        self.expect(sizes[-1][1:] == (self.workspace(x[3]),), f"workspace of {sizes[-1]}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, bias, *residual = inputs
        n = outputs[0].shape[3]
        y = self._convolve(x.permute(0, 3, 1, 2), unpanelled(packed, n), outputs[0].shape[1:3])
        y = y.permute(0, 2, 3, 1) + bias.flatten()[:n]
        outputs[0].copy_(self.activation(y + residual[0] if residual else y))

    def _convolve(self, planes: Tensor, weight: Tensor, size: Sequence[int]) -> Tensor:
        """`weight` is [36, N, C]."""
        padded = self.window.pad(planes)
        more = [-(size[axis]) % TILE for axis in (0, 1)]
        tiles = F.pad(padded, (0, more[1], 0, more[0])).unfold(2, 6, TILE).unfold(3, 6, TILE)
        transformed = _INPUT @ tiles @ _INPUT.t()
        products = torch.einsum("pnc,bcijp->bnijp", weight, transformed.flatten(4))
        outputs = _OUTPUT @ products.unflatten(4, (6, 6)) @ _OUTPUT.t()
        batch, n, rows, columns = outputs.shape[:4]
        joined = outputs.permute(0, 1, 2, 4, 3, 5).reshape(batch, n, rows * TILE, columns * TILE)
        return joined[:, :, : size[0], : size[1]]
