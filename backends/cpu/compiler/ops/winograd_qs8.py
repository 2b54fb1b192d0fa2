"""`winograd_qs8`: convolution 3 x 3 with stride 1 of bytes by F(4 x 4, 3 x 3), in whole numbers: the sums of `conv_qs8`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor

from backends.cpu.compiler.ops.conv_qs8 import COLUMNS, ConvQs8, products
from backends.cpu.compiler.ops.quantization import requantized
from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.schema.records import OutputQuantization, Window

WORDS = 10
from backends.cpu.compiler.packing import winograd_codes
from backends.cpu.schema.words import int_of_word, word_of_int

SIDE = 4
POSITIONS = (SIDE + 2) ** 2
# Of products that are transformed back at once, and what channels and columns are whole multiples of.
_COLUMNS = 64
_CHANNELS, _PANEL = 32, 16
_MOST_CHANNELS = 224


@dataclass(frozen=True)
class WinogradQs8(OpSpec):
    """x [B, H, W, C], panels [36, N / 16, C / 2, 32] of int16, sums of weights, scales, biases to [B, Ho, Wo, N].

    tiles: that are worked on at once. The workspace has a row a thread.
    """

    window: Window
    zero_point: int
    quantizing: OutputQuantization
    tiles: int

    code = 46

    def workspace(self, channels: int) -> int:
        """Words that a thread needs, of the pixels and the products of its tiles."""
        return self.tiles * words_of_tile(channels)

    def words(self) -> tuple[int, ...]:
        unread = 0, 0
        return (*self.window.words(), word_of_int(self.zero_point), *unread, *self.quantizing.words(), self.tiles)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        zero_point, _, _, *quantizing, tiles = words[WORDS:]
        return cls(Window.read(words[:WORDS]), int_of_word(zero_point), OutputQuantization.read(quantizing), tiles)

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 4 + COLUMNS, "takes five inputs and a workspace, gives one output")
        x, y = sizes[0], sizes[-2]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(sizes[1] == (POSITIONS, y[3] // _PANEL, x[3] // 2, 2 * _PANEL), f"panels of {sizes[1]}")
        self.expect(sizes[-1][1:] == (self.workspace(x[3]),), f"workspace of {sizes[-1]}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, sums, scales, biases = inputs
        total = products(x, self.zero_point, winograd_codes(packed), self.window, 1) - self.zero_point * sums
        outputs[0].copy_(requantized(self.quantizing, total, scales, biases))


def words_of_tile(channels: int) -> int:
    """Words of a tile at all positions, two channels in one, and of some columns of its products."""
    return POSITIONS * (channels // 2 + _COLUMNS)


def takes(convolution: ConvQs8, channels: int, columns: int) -> bool:
    """Return whether `winograd_qs8` can replace this convolution."""
    window = convolution.window
    is_plain = window.kernel == (3, 3) and window.stride == window.dilation == (1, 1)
    fits = channels % _CHANNELS == 0 and channels <= _MOST_CHANNELS and columns % _PANEL == 0
    return is_plain and convolution.groups == 1 and fits
