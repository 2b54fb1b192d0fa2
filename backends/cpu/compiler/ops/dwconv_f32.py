"""`dwconv_f32`: convolution of each channel by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.activated import Activated
from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.spec import Sizes
from backends.cpu.compiler.ops.window import padded
from backends.cpu.schema.records import NONE, Activation, Window

WORDS = 10
from backends.cpu.compiler.packing import unpanelled

# Rows of a window that are listed on the stack (ops/depthwise.c).
MOST_ROWS = 256


@dataclass(frozen=True)
class DwconvF32(Activated):
    """x [B, H, W, C], taps [ceil(C / 16), kh * kw, 16], bias to [B, Ho, Wo, C]."""

    window: Window
    activation: Activation = NONE

    code = 3

    def words(self) -> tuple[int, ...]:
        return (*self.window.words(), *self.activation.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(Window.read(words[:WORDS]), Activation.read(words[WORDS:]))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 4, "takes three inputs, gives one output")
        x, y = sizes[0], sizes[-1]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(x[3] == y[3], f"channels of {x} and {y} differ")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, bias = inputs
        channels = x.shape[3]
        weight = unpanelled(packed, channels).reshape(channels, 1, *self.window.kernel)
        planes, window = padded(self.window, x.permute(0, 3, 1, 2)), self.window
        bias = bias.flatten()[:channels]
        y = F.conv2d(planes, weight, bias, window.stride, 0, window.dilation, channels)
        outputs[0].copy_(activate(self.activation, y.permute(0, 2, 3, 1)))
