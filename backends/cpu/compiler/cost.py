"""Choices between ops, based on `backends/cpu/schema/cost_model.py`."""

from collections.abc import Callable

from backends.cpu.schema import cost_model

# Minimum rows, depth and columns for each value of the option "strassen".
_STRASSEN_MIN = {
    "auto": (cost_model.STRASSEN_MIN_ROWS, cost_model.STRASSEN_MIN_K, cost_model.STRASSEN_MIN_COLUMNS),
    "always": (
        cost_model.STRASSEN_FORCED_MIN_ROWS,
        cost_model.STRASSEN_FORCED_MIN_K,
        cost_model.STRASSEN_MIN_COLUMNS,
    ),
}


def prefers_winograd(pixels: int, channels: int, columns: int) -> bool:
    """Return whether a 3 x 3 convolution gains enough from Winograd's algorithm.

    The algorithm must be faster, and the gain must justify its larger weights.
    """
    return pixels >= cost_model.WINOGRAD_F2_MIN_PIXELS and min(channels, columns) >= cost_model.WINOGRAD_MIN_CHANNELS


def winograd_side(pixels: int) -> int:
    """Return the number of outputs of a tile along an axis.

    pixels: number of pixels of an image.
    """
    return 4 if pixels >= cost_model.WINOGRAD_F4_MIN_PIXELS else 2


def winograd_tiles(floats_of_one: int) -> int:
    """Return the number of tiles that a thread transforms at once.

    floats_of_one: number of floats of a tile.
    """
    return _clamp_tiles(cost_model.WINOGRAD_F32_GROUP_FLOATS // floats_of_one)


def winograd_tiles_i8(words_of_one: int) -> int:
    """Return the number of int8 tiles that a thread transforms at once.

    words_of_one: number of 32-bit words of a tile.
    """
    return _clamp_tiles(cost_model.WINOGRAD_QS8_GROUP_WORDS // words_of_one)


def _clamp_tiles(tiles: int) -> int:
    return max(cost_model.WINOGRAD_MIN_TILES, min(cost_model.WINOGRAD_MAX_TILES, tiles))


def prefers_strassen(rows: int, depth: int, columns: int, choice: str) -> bool:
    """Return whether [rows, depth] x [depth, columns] uses Strassen's algorithm.

    choice: "auto" if the gain must justify the larger weights of the algorithm, or "always".
    """
    return all(size >= least for size, least in zip((rows, depth, columns), _STRASSEN_MIN[choice], strict=True))


def prefers_row_tiling(expanded_bytes: int) -> bool:
    """Return whether an inverted residual is computed row by row.

    expanded_bytes: size of one expanded image.
    """
    return expanded_bytes >= cost_model.ROW_TILING_MIN_BYTES


def prefers_chain(image_bytes: int) -> bool:
    """Return whether two row-tiled inverted residuals become one op.

    image_bytes: size of the image between them.
    """
    return image_bytes >= cost_model.MBCONV_CHAIN_MIN_BYTES


def prefers_channel_split(live_bytes: int) -> bool:
    """Return whether ops are split into halves to save scratch.

    live_bytes: peak size of live scratch.
    """
    return live_bytes >= cost_model.CHANNEL_SPLIT_MIN_BYTES


def tile_rows(filtered_width: int, bytes_of: Callable[[int], int]) -> int:
    """Return the number of rows of a row tile.

    A thread needs `bytes_of(rows)` bytes for it.
    """
    most = max(1, -(-cost_model.ROW_TILING_PIXELS // max(filtered_width, 1)))
    return next((rows for rows in range(most, 1, -1) if 2 * bytes_of(rows) <= cost_model.ROW_TILING_MAX_BYTES), 1)


def lanes(threads: int, bytes_of_one: int) -> int:
    """Return the number of threads that get a workspace of `bytes_of_one` bytes each."""
    return min(threads, max(2, cost_model.WORKSPACE_MAX_BYTES // max(bytes_of_one, 1)))
