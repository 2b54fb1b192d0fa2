"""The cost model: all thresholds for the choice between ops.

Measured in user cycles on AVX2 (Zen 3) with one thread and packed weights. NEON and AVX-512 share the thresholds, as
these depend on memory traffic and cache sizes.
"""

from collections.abc import Callable

# With up to this many input channels, reading planar input is cheaper than a permutation to NHWC (224 x 224 x 3: 27
# multiplications per output pixel either way).
MAX_PLANAR_CHANNELS = 4

# Winograd against direct 3 x 3 convolution, million cycles, channels = columns:
#   56 x 56 x 64    2.8 against 7.6
#   28 x 28 x 128   2.6 against 7.8
#   14 x 14 x 256   3.4 against 8.0
#   7 x 7 x 512     8.2 against 10.3, but 38 MB of weights instead of 9.4
# F(4 x 4) has 4 times the weights; with few pixels, reading them dominates. F(2 x 2) has 1.8 times the weights, and is
# 1.0 to 1.3 times as fast as a direct convolution there.
WINOGRAD_LEAST_CHANNELS = 32
_WINOGRAD_LEAST_PIXELS = {4: 144, 2: 36}
# Floats of the transformed tiles of a thread and of 64 columns of their GEMM results: 750 KB.
_WINOGRAD_FLOATS = 187_200
_WINOGRAD_TILES = (6, 48)
# For int8, 32-bit words of pixels and GEMM results. 56 x 56 x 64 takes 329 us with 18 tiles, 326 with 22 and 327 with
# 98 (AVX-512).
_WINOGRAD_WORDS = 64_000

# Time of Strassen's algorithm divided by that of a plain GEMM, M x K x N, 12 MB of weights or more (AVX2, AVX-512 of
# Zen 4):
#   49 x 512 x 2048     1.03, 0.94
#   64 x 384 x 1152     0.99, 0.93
#   96 x 384 x 1152     0.93, 0.91
#   96 x 1024 x 192     0.93, 0.91
#   128 x 160 x 640     1.02, 0.90
#   128 x 256 x 256     1.00, 0.94
#   128 x 256 x 1024    1.05 to 1.08, 0.94
#   128 x 320 x 1280    0.96, 0.93
#   128 x 384 x 384     0.94, 0.92
#   197 x 192 x 768     1.03, 0.90
#   197 x 768 x 192     0.92, 0.92
#   196 x 256 x 1024    1.05 to 1.08, 0.94
#   784 x 512 x 256     0.93, 0.93
# It saves 1/8 of the multiply-adds and adds 3/4 of the bytes of the weights: r / 24 multiply-adds per added byte with r
# rows. "auto" requires 4 of them, which is 96 rows.
_STRASSEN_LEAST = {"auto": (96, 320, 192), "always": (64, 192, 192)}  # rows, depth, columns
# Number of pairs of rows at once. With K = 384, their sums stay in the L2 cache.
STRASSEN_PAIRS = 126

# Row tiling pays off if the expanded image does not stay in the L2 cache: it is faster for 28 x 28 x 192, and slower
# for 14 x 14 x 576 (Zen 3). It is slower for 14 x 14 x 672 as well: without it, EfficientNet-Lite0 is 1 % faster with
# one thread and 3 % with two (Emerald Rapids), as both threads compute the rows between their ranges.
BLOCK_LEAST_BYTES = 576 << 10
# Minimum peak of scratch, in bytes, for which the channels of inverted residuals are split into halves.
HALVED_LEAST_BYTES = 768 << 10
# Minimum number of pixels of a row tile. With fewer, the projecting GEMM has too few rows for its tiles.
_STRIP_PIXELS = 56
# Maximum size of the workspaces of two threads, in bytes. Beyond it, row tiles get fewer rows.
_TWO_WORKSPACES = 640 << 10
# Maximum size of the workspaces of all threads of an op, in bytes. Beyond it, at most two threads run at once
# (MobileNetV2 stays below 1.5 MB, including its image).
MOST_WORKSPACE = 256 << 10


def prefers_winograd(pixels: int, channels: int, columns: int) -> bool:
    """Return whether Winograd's algorithm is faster for a 3 x 3 convolution, and worth its larger weights."""
    return pixels >= _WINOGRAD_LEAST_PIXELS[2] and min(channels, columns) >= WINOGRAD_LEAST_CHANNELS


def winograd_side(pixels: int) -> int:
    """Return the number of outputs of a tile along an axis, for images of `pixels` pixels."""
    return 4 if pixels >= _WINOGRAD_LEAST_PIXELS[4] else 2


def winograd_tiles(floats_of_one: int) -> int:
    """Return how many tiles a thread transforms at once."""
    least, most = _WINOGRAD_TILES
    return max(least, min(most, _WINOGRAD_FLOATS // floats_of_one))


def winograd_tiles_i8(words_of_one: int) -> int:
    """Return how many tiles of int8 images a thread transforms at once."""
    least, most = _WINOGRAD_TILES
    return max(least, min(most, _WINOGRAD_WORDS // words_of_one))


def prefers_strassen(rows: int, depth: int, columns: int, choice: str) -> bool:
    """Return whether a GEMM [rows, depth] x [depth, columns] uses Strassen's algorithm with the option `choice`.

    choice: "auto" if it has to be faster and worth its larger weights, or "always".
    """
    return all(size >= least for size, least in zip((rows, depth, columns), _STRASSEN_LEAST[choice], strict=True))


def prefers_row_tiling(expanded_bytes: int) -> bool:
    """Return whether an inverted residual is computed by rows. expanded_bytes: size of one expanded image."""
    return expanded_bytes >= BLOCK_LEAST_BYTES


def prefers_halves(live_bytes: int) -> bool:
    """Return whether ops are split into halves to save scratch. live_bytes: peak of the live scratch."""
    return live_bytes >= HALVED_LEAST_BYTES


def strip_rows(filtered_width: int, bytes_of: Callable[[int], int]) -> int:
    """Return the number of rows of a row tile. A thread needs `bytes_of(rows)` bytes for it."""
    most = max(1, -(-_STRIP_PIXELS // max(filtered_width, 1)))
    return next((rows for rows in range(most, 1, -1) if 2 * bytes_of(rows) <= _TWO_WORKSPACES), 1)


def lanes(threads: int, bytes_of_one: int) -> int:
    """Return the number of threads that may have a workspace of `bytes_of_one` bytes each."""
    return min(threads, max(2, MOST_WORKSPACE // max(bytes_of_one, 1)))
