"""The constants that select algorithms and tilings, with their measurements.

The compiler imports this module. `codegen/c_headers.py` writes the constants to `cost_model.h` as
`ET_CPU_<name>` for ops, microkernels and the XNNPACK importer.

Unless stated otherwise, measurements are user cycles of one thread with AVX2 (Zen 3) and prepacked
weights. NEON and AVX-512 use the same values, which depend on memory traffic and cache sizes. A
ratio a / b is the time of a divided by the time of b.
"""

import sys
from dataclasses import dataclass
from typing import Annotated, get_type_hints


@dataclass(frozen=True)
class Constant:
    """Description of a constant.

    measurement: the reason for the value, with figures if it was measured.
    """

    unit: str
    meaning: str
    measurement: str


PLANAR_MAX_CHANNELS: Annotated[
    int,
    Constant(
        "input channels",
        "Maximum number of channels for which a convolution reads NCHW input without a transpose to NHWC.",
        "224 x 224 x 3 takes 27 multiplications per output pixel in both layouts. NCHW input saves the transpose.",
    ),
] = 4

CONV_PLANAR_FLOATS: Annotated[
    int,
    Constant(
        "floats",
        "Size of the stack buffer for the input rows of a span of outputs, in convolutions of NCHW input.",
        "The buffer takes 24 KB of the stack. No figures are recorded.",
    ),
] = 6144
CONV_PLANAR_TAPS: Annotated[
    int,
    Constant(
        "taps",
        "Size of the stack buffer for tap addresses, in convolutions of NCHW input.",
        "The buffer takes 4 KB of the stack. No figures are recorded.",
    ),
] = 512
CONV_PLANAR_COLUMNS: Annotated[
    int,
    Constant(
        "output columns",
        "Minimum number of outputs of a span, in convolutions of NCHW input.",
        "No figures are recorded.",
    ),
] = 6

WINOGRAD_MIN_CHANNELS: Annotated[
    int,
    Constant(
        "channels",
        "Minimum number of input and output channels of a float32 Winograd convolution.",
        "Million cycles with Winograd and with a direct convolution, channels = columns: 56 x 56 x 64: 2.8 and 7.6; "
        "28 x 28 x 128: 2.6 and 7.8; 14 x 14 x 256: 3.4 and 8.0. No figure for fewer channels is recorded.",
    ),
] = 32
WINOGRAD_F2_MIN_PIXELS: Annotated[
    int,
    Constant(
        "output pixels",
        "Minimum number of pixels of an image for Winograd F(2 x 2, 3 x 3).",
        "F(2 x 2) has 1.8 times the weights of a direct convolution. It is 1.0 to 1.3 times as fast for "
        "images below the limit of F(4 x 4).",
    ),
] = 36
WINOGRAD_F4_MIN_PIXELS: Annotated[
    int,
    Constant(
        "output pixels",
        "Minimum number of pixels of an image for Winograd F(4 x 4, 3 x 3).",
        "F(4 x 4) has 4 times the weights of a direct convolution. For few pixels, reading the weights dominates: "
        "7 x 7 x 512 takes 8.2 million cycles instead of 10.3, with 38 MB of weights instead of 9.4.",
    ),
] = 144
WINOGRAD_F32_GROUP_FLOATS: Annotated[
    int,
    Constant(
        "floats",
        "Target size of the transformed tiles of a thread and their GEMM results for 64 columns.",
        "The size is 750 KB. No figures for other sizes are recorded.",
    ),
] = 187_200
WINOGRAD_QS8_GROUP_WORDS: Annotated[
    int,
    Constant(
        "32-bit words",
        "Target size of the transformed int8 tiles of a thread and their GEMM results for 64 columns.",
        "56 x 56 x 64 takes 329 us with 18 tiles, 326 us with 22 and 327 us with 98 (AVX-512).",
    ),
] = 64_000
WINOGRAD_COLUMNS: Annotated[
    int,
    Constant(
        "output channels",
        "Number of columns of a Winograd convolution that are multiplied and transformed back at once.",
        "Their GEMM results stay in the cache until they are transformed back. No figures are recorded.",
    ),
] = 64
WINOGRAD_MIN_TILES: Annotated[
    int,
    Constant(
        "tiles",
        "Minimum number of tiles that a thread transforms at once, if the image has that many.",
        "No figures are recorded.",
    ),
] = 6
WINOGRAD_MAX_TILES: Annotated[
    int,
    Constant(
        "tiles",
        "Maximum number of tiles that a thread transforms at once.",
        "int8 56 x 56 x 64 takes 326 us with 22 tiles and 327 us with 98 (AVX-512).",
    ),
] = 48
WINOGRAD_QS8_MIN_PIXELS: Annotated[
    int,
    Constant(
        "output pixels",
        "Minimum number of pixels of an image for int8 Winograd in XNNPACK programs. The compiler uses its "
        'option "winograd" instead.',
        "This is the limit of float32 F(4 x 4). No figures for fewer pixels are recorded.",
    ),
] = 144
WINOGRAD_QS8_MIN_COLUMNS: Annotated[
    int,
    Constant(
        "output channels",
        "Minimum number of columns for int8 Winograd in XNNPACK programs.",
        "With few columns, the transform of the input dominates. No figures are recorded.",
    ),
] = 32
WINOGRAD_MAX_EXTRA_BYTES: Annotated[
    int,
    Constant(
        "bytes",
        "Maximum difference in size between Winograd weights and direct weights of a layer in XNNPACK programs.",
        "XNNPACK weights are transformed in memory. In the last six layers of ResNet-18, they would take "
        "38 MB more to save a tenth of the time.",
    ),
] = 4 << 20

_STRASSEN_MEASUREMENT = (
    "Strassen / GEMM with AVX2 and AVX-512 (Zen 4), rows x K x columns, 12 MB of weights or more: "
    "49 x 512 x 2048: 1.03, 0.94; 64 x 384 x 1152: 0.99, 0.93; 96 x 384 x 1152: 0.93, 0.91; "
    "96 x 1024 x 192: 0.93, 0.91; 128 x 160 x 640: 1.02, 0.90; 128 x 256 x 256: 1.00, 0.94; "
    "128 x 256 x 1024: 1.05 to 1.08, 0.94; 128 x 320 x 1280: 0.96, 0.93; 128 x 384 x 384: 0.94, 0.92; "
    "197 x 192 x 768: 1.03, 0.90; 197 x 768 x 192: 0.92, 0.92; 196 x 256 x 1024: 1.05 to 1.08, 0.94; "
    "784 x 512 x 256: 0.93, 0.93."
)
STRASSEN_MIN_ROWS: Annotated[
    int,
    Constant(
        "rows",
        'Minimum number of rows of a GEMM for Strassen\'s algorithm if the option "strassen" is "auto".',
        "Strassen's algorithm saves an eighth of the multiply-adds and adds three quarters of the weight "
        f"bytes. It saves rows / 24 multiply-adds per added byte: 4 with 96 rows. {_STRASSEN_MEASUREMENT}",
    ),
] = 96
STRASSEN_MIN_K: Annotated[
    int,
    Constant(
        "elements",
        "Minimum depth of a GEMM for Strassen's algorithm.",
        "With AVX2, it is slower with a depth of 256 (1.05 to 1.08) and faster with 320 (0.96); see STRASSEN_MIN_ROWS.",
    ),
] = 320
STRASSEN_MIN_COLUMNS: Annotated[
    int,
    Constant(
        "columns",
        "Minimum number of columns of a GEMM for Strassen's algorithm.",
        "Strassen / GEMM for 197 x 768 x 192 is 0.92. No figure for fewer columns is recorded.",
    ),
] = 192
STRASSEN_FORCED_MIN_ROWS: Annotated[
    int,
    Constant(
        "rows",
        'Minimum number of rows if the option "strassen" is "always".',
        "Strassen / GEMM for 64 x 384 x 1152 is 0.99 with AVX2 and 0.93 with AVX-512.",
    ),
] = 64
STRASSEN_FORCED_MIN_K: Annotated[
    int,
    Constant(
        "elements",
        'Minimum depth if the option "strassen" is "always".',
        "Strassen / GEMM for 197 x 192 x 768 is 1.03 with AVX2 and 0.90 with AVX-512.",
    ),
] = 192
STRASSEN_MULTIPLE: Annotated[
    int,
    Constant(
        "elements",
        "Divisor of K and N in GEMMs that use Strassen's algorithm.",
        "Each half of K and N consists of whole panels of 16.",
    ),
] = 32
STRASSEN_COLUMNS: Annotated[
    int,
    Constant(
        "columns",
        "Number of columns of a half that are multiplied at once. Their packed weights are adjacent.",
        "No figures are recorded.",
    ),
] = 64
STRASSEN_MAX_PAIRS: Annotated[
    int,
    Constant(
        "pairs of rows",
        "Maximum number of row pairs that a thread multiplies at once.",
        "With K = 384, the sums of their quarters stay in the L2 cache.",
    ),
] = 126
STRASSEN_MIN_PAIRS_PER_PART: Annotated[
    int,
    Constant(
        "pairs of rows",
        "Minimum number of row pairs per part if the rows of a column group are divided among threads.",
        "With fewer pairs, tiles would have few rows. No figures are recorded.",
    ),
] = 24

ROW_TILING_MIN_BYTES: Annotated[
    int,
    Constant(
        "bytes",
        "Minimum size of the expanded float32 image for row tiling of an inverted residual.",
        "Row-tiled / untiled, minimum CPU time of alternating runs (Zen 4, AVX-512 and AVX2): "
        "28 x 28 x 168 (514 KB) 1.11, 1.02; "
        "28 x 28 x 176 1.08, 1.04; 28 x 28 x 184 (563 KB) 1.08, 1.02; 14 x 14 x 672 (514 KB, EfficientNet-Lite0) "
        "1.06 to 1.08, 1.03; 14 x 14 x 720 1.06, 1.04; "
        "28 x 28 x 192 (588 KB) 1.05, 1.03; 28 x 28 x 256 (784 KB) 1.10, 1.03; 56 x 56 x 144 (1764 KB) 1.01, 0.98. "
        "A larger limit would need more memory. On Zen 3, row tiling is faster for 28 x 28 x 192 (588 KB, MobileNetV2) and "
        "slower for 14 x 14 x 576. Without row tiling of 14 x 14 x 672, EfficientNet-Lite0 is 1 % faster with one thread "
        "and 3 % with two (Emerald Rapids), because both threads compute the rows where their ranges meet.",
    ),
] = 576 << 10
ROW_TILING_PIXELS: Annotated[
    int,
    Constant(
        "output pixels",
        "Number of pixels of the depthwise convolution that are computed at once, rounded up to whole rows.",
        "With fewer pixels, the projecting GEMM has too few rows for its register tiles.",
    ),
] = 56
ROW_TILING_MAX_BYTES: Annotated[
    int,
    Constant(
        "bytes",
        "Maximum size of the workspaces of two threads. To stay below it, fewer rows are computed at once.",
        "With this limit and CHANNEL_SPLIT_MIN_BYTES, MobileNetV2 and its image need 1.46 MB instead of 2.01 MB.",
    ),
] = 640 << 10
MBCONV_CHAIN_MIN_BYTES: Annotated[
    int,
    Constant(
        "bytes",
        "Minimum size of the float32 image between two row-tiled inverted residuals for which one op computes both.",
        "A single op saves the memory of the image. Four blocks of 95 x 91 x 16 (540 KB), one op per pair / separate, "
        "AVX-512 and AVX2 (Zen 4): 1.00, 1.00 with expansion 4; 1.10, 1.04 with expansion 6 and 5 x 5 kernels; "
        "56 x 56 x 44 and 112 x 112 x 11 (539 KB): 1.00, 1.00. No model of //benchmarks is between 512 and 576 KB.",
    ),
] = 512 << 10
MBCONV_MAX_BLOCKS: Annotated[
    int,
    Constant(
        "inverted residuals",
        "Maximum number of consecutive inverted residuals that one op computes.",
        "XNNPACK payloads of MobileNetV2 and EfficientNet-Lite0 are 1.05 to 1.06 times as fast as with one op per inverted "
        "residual and a separate transpose of the NCHW input.",
    ),
] = 4

CHANNEL_SPLIT_MIN_BYTES: Annotated[
    int,
    Constant(
        "bytes",
        "Minimum size of live scratch for which an inverted residual computes its expanded channels in two halves.",
        "With this limit and ROW_TILING_MAX_BYTES, MobileNetV2 and its image need 1.46 MB instead of 2.01 MB.",
    ),
] = 768 << 10
WORKSPACE_MAX_BYTES: Annotated[
    int,
    Constant(
        "bytes",
        "Maximum total size of the workspaces of all threads of an op, unless two threads need more.",
        "With this limit, MobileNetV2 and its image need less than 1.5 MB.",
    ),
] = 256 << 10


def constants() -> dict[str, tuple[int, Constant]]:
    """Return the values and descriptions of all constants by name."""
    module = sys.modules[__name__]
    hints = get_type_hints(module, include_extras=True)
    return {name: (getattr(module, name), hint.__metadata__[0]) for name, hint in hints.items()}
