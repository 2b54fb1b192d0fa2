"""Convolutions with prepacked weights (float32 and quantized), and `col2im`.

Images are [B, H, W, C] (NHWC) unless stated otherwise. N is the number of output channels, and G is
the number of groups. A panel has 16 output channels of a group. The last panel of a group is padded
with zeros, and so are tensors with one element per output channel.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from backends.cpu.schema.cost_model import (
    CONV_PLANAR_COLUMNS,
    CONV_PLANAR_FLOATS,
    CONV_PLANAR_TAPS,
    MBCONV_MAX_BLOCKS,
    WINOGRAD_COLUMNS,
)
from backends.cpu.schema.declarations import F16, QS8, Dtype, OpSpec, Record, Tensor, bounds, bounds_of, many, optional
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.kernel_sizes import (
    MAX_WINDOW,
    PANEL,
    WINOGRAD_QS8_CHANNEL_STEP,
    WINOGRAD_QS8_MAX_CHANNELS,
    WINOGRAD_QS8_SIDE,
)
from backends.cpu.schema.records import NONE, Activated, Activation, OutputQuantization, Padding, Pair, Window

MAX_EXACT_TERMS = 4096

WINOGRAD_KERNEL = 3
WINOGRAD_QS8_POSITIONS = (WINOGRAD_QS8_SIDE + WINOGRAD_KERNEL - 1) ** 2

MBCONV_WEIGHTS = 6
"""Number of inputs of a block: weights and biases."""

_X = Tensor("x", "[B, H, W, C]")
_BIAS = Tensor("bias", "[...]")
_RESIDUAL = optional("residual", "[B, Ho, Wo, N]")
_Y = (Tensor("y", "[B, Ho, Wo, N]"),)
_PANELS = "[G, ceil(N / G / 16), kh * kw * C / G, 16]"

_X_QS8 = Tensor("x", "[B, H, W, C]", QS8)
_COLUMNS_QS8 = (
    Tensor("sums", "[...]", (Dtype.INT32,)),
    Tensor("scales", "[...]"),
    Tensor("biases", "[...]", (Dtype.FLOAT32, Dtype.INT32)),
)
_Y_QS8 = (Tensor("y", "[B, Ho, Wo, N]", QS8),)


@dataclass(frozen=True)
class ConvF32(Activated):
    """y = activation(conv(x, weights) + bias + residual).

    `weights` contains the elements of a window in the order row, column, channel.

    planar: x is [B, C, H, W], and there is one group. The size of windows is limited, because
        rows of x are copied to the stack.
    """

    planar: bool = field(default=False, kw_only=True)
    window: Window
    groups: int = field(default=1, metadata=bounds(1))
    activation: Activation = NONE

    code: ClassVar[int] = 2
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", _PANELS), _BIAS, _RESIDUAL)
    outputs: ClassVar[tuple[Tensor, ...]] = _Y


@dataclass(frozen=True)
class ConvF32F16w(ConvF32):
    """`conv_f32` with float16 or bfloat16 weights. Planar input is not supported.

    Results are bit-identical to those of `conv_f32` with the widened weights.
    """

    code: ClassVar[int] = 34
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", _PANELS, F16), _BIAS, _RESIDUAL)


def fits_planar(window: Window, channels: int) -> bool:
    """Return whether `conv_f32` can read planar input with this window."""
    kh, kw = window.kernel
    columns = (CONV_PLANAR_COLUMNS - 1) * window.stride[1] + (kw - 1) * window.dilation[1] + 1
    return channels * kh * kw <= CONV_PLANAR_TAPS and channels * kh * columns <= CONV_PLANAR_FLOATS


@dataclass(frozen=True)
class DwconvF32(Activated):
    """Depthwise convolution: y = activation(conv(x, weights) + bias).

    Each channel has its own filter. A kernel has at most 256 rows.
    """

    window: Window
    activation: Activation = NONE

    code: ClassVar[int] = 3
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", "[ceil(C / 16), kh * kw, 16]"), _BIAS)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[B, Ho, Wo, C]"),)


@dataclass(frozen=True)
class WinogradF32(Activated):
    """`conv_f32` with Winograd's F(side x side, 3 x 3) (Lavin & Gray 2016).

    The kernel is 3 x 3, the stride is 1, and there is one group. P = (side + 2)^2 is the number of
    positions of a tile. Each position is a GEMM over the channels of all tiles.

    padding: top, left, bottom, right.
    side: number of outputs of a tile along an axis, 2 or 4.
    tiles: number of tiles that a thread transforms at once. The workspace has a row per thread.
    """

    padding: Padding = field(metadata=bounds(0, MAX_WINDOW))
    side: int = field(metadata=bounds(2, 4))
    tiles: int = field(metadata=bounds(1, 1 << 20))
    activation: Activation = NONE

    code: ClassVar[int] = 4
    inputs: ClassVar[tuple[Tensor, ...]] = (_X, Tensor("weights", "[P, ceil(N / 16), C, 16]"), _BIAS, _RESIDUAL)
    outputs: ClassVar[tuple[Tensor, ...]] = _Y
    workspaces: ClassVar[tuple[Tensor, ...]] = (Tensor("workspace", "[threads, floats]"),)

    @property
    def window(self) -> Window:
        """The window of the convolution."""
        return Window((WINOGRAD_KERNEL, WINOGRAD_KERNEL), padding=self.padding)

    @property
    def positions(self) -> int:
        """The number of elements of a transformed tile."""
        return (self.side + WINOGRAD_KERNEL - 1) ** 2

    def tile_floats(self, channels: int) -> int:
        """Return the number of floats of a transformed tile and its GEMM results.

        The GEMM results are those of 64 columns.
        """
        return self.positions * (channels + WINOGRAD_COLUMNS)

    def workspace(self, channels: int) -> int:
        """Return the number of floats of a thread's tiles and of the pixels of one tile."""
        return self.tiles * self.tile_floats(channels) + self.positions * channels


@dataclass(frozen=True)
class ConvolutionQs8(OpSpec):
    """Attributes of convolutions of quantized images. Accumulators are exact int32.

    y = quantize((conv(x, weights) - zero_point * sums) * scales + biases). Padding has the value
    `zero_point`. `sums` contains the sum of the weights of each output channel. int32 biases are
    added before the multiplication by `scales`. Scales and biases are first multiplied by the
    inverse of the output's scale. Each product is rounded to float32.

    max_exact_terms: number t of quads whose products can be added in int16; 0 if unknown. The bound
        max(sum(max(w, 0)), sum(max(-w, 0))) * (max(x) - min_value) <= 32767 holds for the weights w
        in either half of any t consecutive quads of a column that start at a multiple of t.
    min_value: a lower bound of the values of x and of the zero point.
    """

    window: Window
    zero_point: int
    max_exact_terms: int = field(metadata=bounds(0, MAX_EXACT_TERMS))
    min_value: int
    output_quantization: OutputQuantization


@dataclass(frozen=True)
class ConvQs8(ConvolutionQs8):
    """Convolution of int8 or uint8 images, requantized per output channel.

    Weights are int8. y = quantize((conv(x, weights) - zero_point * sums) * scales + biases).
    Accumulators are exact int32. `weights` contains the elements of a window in the order row,
    column, channel, in quads (groups of 4).

    max_exact_terms, min_value: used only by microkernels that accumulate in int16; see
        `ConvolutionQs8`.
    """

    groups: int = field(metadata=bounds(1, 1 << 20))

    code: ClassVar[int] = 20
    inputs: ClassVar[tuple[Tensor, ...]] = (
        _X_QS8,
        Tensor("weights", "[G * ceil(N / G / 16), ceil(kh * kw * C / G / 4), 16, 4]", (Dtype.INT8,)),
        *_COLUMNS_QS8,
    )
    outputs: ClassVar[tuple[Tensor, ...]] = _Y_QS8


@dataclass(frozen=True)
class DwconvQs8(ConvolutionQs8):
    """Depthwise convolution of int8 or uint8 images, requantized per channel.

    Weights are int8. y = quantize((conv(x, weights) - zero_point * sums) * scales + biases).
    Accumulators are exact int32. `weights` contains the taps of each kernel column in quads (groups
    of 4), padded with zeros. kh * kw is at most 64.

    max_exact_terms, min_value: used only by microkernels that accumulate in int16; see
        `ConvolutionQs8`.
    """

    code: ClassVar[int] = 21
    inputs: ClassVar[tuple[Tensor, ...]] = (
        _X_QS8,
        Tensor("weights", "[ceil(C / 16), kw * ceil(kh / 4), 16, 4]", (Dtype.INT8,)),
        *_COLUMNS_QS8,
    )
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[B, Ho, Wo, C]", QS8),)


@dataclass(frozen=True)
class WinogradQs8(ConvolutionQs8):
    """`conv_qs8` with Winograd's F(4 x 4, 3 x 3) in integers.

    The results are identical. The kernel is 3 x 3, and the stride is 1. C is a multiple of 32 and at most 224. N is a multiple
    of 16. In `weights`, channels are interleaved in pairs.

    max_exact_terms, min_value: not used.
    tiles: number of tiles that a thread transforms at once. The workspace has a row per thread.
    """

    window: Window = field(metadata=bounds_of(kernel=(3, 3), stride=(1, 1), dilation=(1, 1)))
    tiles: int = field(metadata=bounds(1, 1 << 20))

    code: ClassVar[int] = 46
    inputs: ClassVar[tuple[Tensor, ...]] = (
        _X_QS8,
        Tensor("weights", "[36, N / 16, C / 2, 32]", (Dtype.INT16,)),
        *_COLUMNS_QS8,
    )
    outputs: ClassVar[tuple[Tensor, ...]] = _Y_QS8
    workspaces: ClassVar[tuple[Tensor, ...]] = (Tensor("workspace", "[threads, words]"),)

    @staticmethod
    def fits(channels: int, columns: int) -> bool:
        """Return whether the op supports these numbers of input and output channels."""
        return (
            channels % WINOGRAD_QS8_CHANNEL_STEP == 0 and channels <= WINOGRAD_QS8_MAX_CHANNELS and columns % PANEL == 0
        )

    @staticmethod
    def tile_words(channels: int) -> int:
        """Return the number of 32-bit words of a transformed tile and its GEMM results.

        The GEMM results are those of 64 columns.
        """
        return WINOGRAD_QS8_POSITIONS * (channels // 2 + WINOGRAD_COLUMNS)

    def workspace(self, channels: int) -> int:
        """Return the number of 32-bit words that a thread needs."""
        return self.tiles * self.tile_words(channels)


@dataclass(frozen=True)
class MbconvBlock(Record):
    """An inverted residual: expansion, depthwise convolution, projecting GEMM.

    In all blocks but the first, the expanding convolution is 1 x 1. The depthwise kernel has at
    most `MBCONV_MAX_ROWS` rows.
    """

    expand: ConvF32 = field(metadata=bounds_of(groups=(1, 1)))
    filter: DwconvF32
    project: GemmF32

    def ring(self, rows: int) -> int:
        """Return the number of expanded rows that `rows` filtered rows need."""
        window = self.filter.window
        return (rows - 1) * window.stride[0] + (window.kernel[0] - 1) * window.dilation[0] + 1

    def workspace(self, rows: int, expanded_width: Any, filtered_width: Any, channels: int) -> Any:
        """Return the number of floats that a thread needs for `rows` filtered rows."""
        return (self.ring(rows) * expanded_width + rows * filtered_width) * (-(-channels // PANEL) * PANEL)

    def expanded_size(self, x: Sequence[int]) -> Pair:
        """Return the height and width of the expanded image for an input of shape `x`."""
        first = 2 if self.expand.planar else 1
        return self.expand.window.output_size((x[first], x[first + 1]))


@dataclass(frozen=True)
class MbconvF32(OpSpec):
    """One to four inverted residuals (MBConv), computed a few rows at a time.

    Intermediate images therefore stay in the cache. `weights` contains the weights and the bias of
    the three layers of each block, followed by an optional residual of y.

    A block needs (ring * We + r * Wf) * C floats per thread: `ring` rows of the expanded image, We
    wide, and r rows of the filtered image, Wf wide. C is the number of expanded channels, rounded
    up to a multiple of 16, and ring = (r - 1) * stride + (kernel - 1) * dilation + 1. r is `rows`
    for the last block and 1 for the others. The others also need memory for one row of their
    output. The workspace of a thread is at least as large as the sum over all blocks.

    rows: number of rows of the last filtered image that a thread computes at once. The workspace
        has a row per thread.
    blocks: each block reads the output of the previous one row by row.
    """

    rows: int = field(metadata=bounds(1, 1 << 20))
    blocks: tuple[MbconvBlock, ...]

    code: ClassVar[int] = 5
    inputs: ClassVar[tuple[Tensor, ...]] = (
        _X,
        many("weights", (MBCONV_WEIGHTS, MBCONV_MAX_BLOCKS * MBCONV_WEIGHTS + 1), "[...]"),
    )
    outputs: ClassVar[tuple[Tensor, ...]] = _Y
    workspaces: ClassVar[tuple[Tensor, ...]] = (Tensor("workspace", "[threads, floats]"),)

    @property
    def ring(self) -> int:
        """The number of expanded rows of the last block that a thread needs at once."""
        return self.blocks[-1].ring(self.rows)

    @property
    def without_residual(self) -> int:
        """The number of inputs without a residual."""
        return 1 + MBCONV_WEIGHTS * len(self.blocks)


@dataclass(frozen=True)
class Col2im(OpSpec):
    """Sum of overlapping windows, like `torch.nn.Fold`.

    y[b, i, j, c] is the sum of all x whose taps are at pixel (i, j).

    window: slides over y, with Ho x Wo outputs.
    """

    window: Window

    code: ClassVar[int] = 45
    inputs: ClassVar[tuple[Tensor, ...]] = (Tensor("x", "[B, Ho, Wo, kh * kw, C]"),)
    outputs: ClassVar[tuple[Tensor, ...]] = (Tensor("y", "[B, H, W, C]"),)
