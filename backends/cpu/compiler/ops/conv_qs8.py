"""`conv_qs8` and `dwconv_qs8`: of bytes, with exact sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.quantization import requantized
from backends.cpu.compiler.ops.spec import OpSpec, Sizes
from backends.cpu.compiler.ops.window import padded
from backends.cpu.schema.records import OutputQuantization, Window

WORDS = 10
from backends.cpu.compiler.packing import unquadded, unquadded_taps
from backends.cpu.schema.words import int_of_word, word_of_int

# What is kept on the stack (microkernels/conv_qs8.h, microkernels/dwconv_qs8.h).
MOST_TAPS = 64
MOST_QUADS = 4096
MOST_CHANNELS = 4096

COLUMNS = 3
"""Inputs that say what a column's sum means: sums of weights, scales, biases."""


@dataclass(frozen=True)
class ConvQs8(OpSpec):
    """x [B, H, W, C], panels, sums of weights, scales, biases to [B, Ho, Wo, N].

    together: what `quads_together` says, for the faster products of some processors, as long as no byte of x
        is below `lowest` or above those that it was asked about.
    """

    window: Window
    zero_point: int
    together: int
    lowest: int
    quantizing: OutputQuantization
    groups: int

    code = 20

    def words(self) -> tuple[int, ...]:
        return (*_words(self), self.groups)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(*_read(words[:-1]), words[-1])

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3 + COLUMNS, "takes five inputs, gives one output")
        x, y = sizes[0], sizes[-1]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, sums, scales, biases = inputs
        weight = unquadded(packed, outputs[0].shape[3], x.shape[3], self.window.kernel, self.groups)
        each = outputs[0].shape[3] // self.groups
        columns = (row.reshape(self.groups, -1)[:, :each].flatten() for row in (sums, scales, biases))
        sums, scale, bias = columns
        total = products(x, self.zero_point, weight, self.window, self.groups) - self.zero_point * sums
        outputs[0].copy_(requantized(self.quantizing, total, scale, bias))


@dataclass(frozen=True)
class DwconvQs8(OpSpec):
    """x [B, H, W, C], quads of taps, sums of weights, scales, biases to [B, Ho, Wo, C].

    together: as of ConvolutionI8, of quads of taps.
    """

    window: Window
    zero_point: int
    together: int
    lowest: int
    quantizing: OutputQuantization

    code = 21

    def words(self) -> tuple[int, ...]:
        return _words(self)

    @classmethod
    def read(cls, words: Sequence[int]) -> Self:
        return cls(*_read(words))

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 3 + COLUMNS, "takes five inputs, gives one output")
        x, y = sizes[0], sizes[-1]
        self.expect(len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are no pictures of one batch")
        self.expect(x[3] == y[3], f"channels of {x} and {y} differ")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, sums, scales, biases = inputs
        channels = x.shape[3]
        weight = unquadded_taps(packed, channels, self.window.kernel)
        total = products(x, self.zero_point, weight, self.window, channels) - self.zero_point * sums[:channels]
        outputs[0].copy_(requantized(self.quantizing, total, scales[:channels], biases[:channels]))


def _words(spec: "ConvQs8 | DwconvQs8") -> tuple[int, ...]:
    own = word_of_int(spec.zero_point), spec.together, word_of_int(spec.lowest)
    return (*spec.window.words(), *own, *spec.quantizing.words())


def _read(words: Sequence[int]) -> tuple[Window, int, int, int, OutputQuantization]:
    zero_point, together, lowest, *quantizing = words[WORDS:]
    window = Window.read(words[:WORDS])
    return window, int_of_word(zero_point), together, int_of_word(lowest), OutputQuantization.read(quantizing)


def products(x: Tensor, zero_point: int, weight: Tensor, window: Window, groups: int) -> Tensor:
    """The exact sums of products of bytes, where pads are `zero_point`."""
    planes = padded(window, x.permute(0, 3, 1, 2).double(), zero_point)
    sums = F.conv2d(planes, weight.double(), None, window.stride, 0, window.dilation, groups)
    return sums.permute(0, 2, 3, 1)
