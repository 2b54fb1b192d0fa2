"""The window that convolution and pooling slide over a picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor

Pair = tuple[int, int]
Pads = tuple[int, int, int, int]
WORDS = 10

MOST_SIZE = 1 << 15
"""The largest kernel, stride, pad and dilation that are taken (`steps/window.c` takes larger strides and pads, which pads of
several operators may add up to)."""


@dataclass(frozen=True)
class Window:
    """Sizes are (height, width); pads are (top, left, bottom, right)."""

    kernel: Pair
    stride: Pair = (1, 1)
    pads: Pads = (0, 0, 0, 0)
    dilation: Pair = (1, 1)

    def words(self) -> tuple[int, ...]:
        """As the payload has it."""
        return (*self.kernel, *self.stride, *self.pads, *self.dilation)

    @staticmethod
    def read(words: Sequence[int]) -> "Window":
        """The window of ten words."""
        kh, kw, sh, sw, top, left, bottom, right, dh, dw = words
        return Window((kh, kw), (sh, sw), (top, left, bottom, right), (dh, dw))

    @property
    def is_point(self) -> bool:
        """Whether each output comes from the one pixel at its place."""
        return self.kernel == self.stride == (1, 1) and not any(self.pads)

    @property
    def taps(self) -> int:
        """Pixels that it covers."""
        return self.kernel[0] * self.kernel[1]

    def output_size(self, size: Pair) -> Pair:
        """Height and width of what a picture of this size becomes."""
        top, left, bottom, right = self.pads
        padded = size[0] + top + bottom, size[1] + left + right
        reach = [(kernel - 1) * dilation + 1 for kernel, dilation in zip(self.kernel, self.dilation)]
        height, width = ((padded[axis] - reach[axis]) // self.stride[axis] + 1 for axis in (0, 1))
        return height, width

    def pad(self, x: Tensor, value: float = 0.0) -> Tensor:
        """[B, C, H, W] with its pads."""
        top, left, bottom, right = self.pads
        return F.pad(x, (left, right, top, bottom), value=value)
