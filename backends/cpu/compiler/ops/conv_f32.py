"""`conv_f32`: of pictures that lie channels last, or of planes."""

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

# Of planes: the rows that a strip of the output reads are laid out on the stack (microkernels/conv_planar.h).
_PLANES_TAPS = 512
_PLANES_FLOATS = 6144
_PLANES_COLUMNS = 6


def takes_planes(window: Window, channels: int) -> bool:
    """Whether a convolution of this window can read so many planes."""
    kh, kw = window.kernel
    columns = (_PLANES_COLUMNS - 1) * window.stride[1] + (kw - 1) * window.dilation[1] + 1
    return channels * kh * kw <= _PLANES_TAPS and channels * kh * columns <= _PLANES_FLOATS


@dataclass(frozen=True)
class ConvF32(Activated):
    """x [B, H, W, C], panels, bias, optional residual to [B, Ho, Wo, N].

    planes: x is [B, C, H, W] instead.
    """

    window: Window
    planes: bool = False
    groups: int = 1
    activation: Activation = NONE

    code = 2

    @property
    def without_residual(self) -> int:
        return 3

    def words(self) -> tuple[int, ...]:
        return (int(self.planes), *self.window.words(), self.groups, *self.activation.words())

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        window, (groups, *activation) = words[1 : 1 + WORDS], words[1 + WORDS :]
        return cls(Window.read(window), bool(words[0]), groups, Activation.read(activation))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (4, 5), "takes three or four inputs, gives one output")
        x, y = sizes[0], sizes[-1]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(len(sizes) == 4 or sizes[3] == y, "the residual is of another size than the output")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, bias, *residual = inputs
        planes = x if self.planes else x.permute(0, 3, 1, 2)
        y = self._convolve(planes, packed, bias, outputs[0].shape[-1]).permute(0, 2, 3, 1)
        outputs[0].copy_(activate(self.activation, y + residual[0] if residual else y))

    def _convolve(self, planes: Tensor, packed: Tensor, bias: Tensor, n: int) -> Tensor:
        each = n // self.groups
        flat = unpanelled(packed, each).reshape(n, *self.window.kernel, -1)
        weight, bias = flat.permute(0, 3, 1, 2), bias.reshape(self.groups, -1)[:, :each].flatten()
        image, window = padded(self.window, planes), self.window
        return F.conv2d(image, weight, bias, window.stride, 0, window.dilation, self.groups)


@dataclass(frozen=True)
class ConvF32F16w(ConvF32):
    """The same, but not of planes, of panels that are float16 or bfloat16."""

    code = 34

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, *others = inputs
        super().run([x, packed.float(), *others], outputs, dims)
