"""The IDX file format of MNIST: an array of unsigned bytes.

The format is big-endian: two zero bytes, the type (8 = unsigned byte), the rank, one u32 per dimension, then
the elements in C order.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np

_UNSIGNED_BYTE = 8


def read_idx(path: Path) -> np.ndarray:
    """Read a uint8 array. Raise ValueError if the file has another format."""
    content = path.read_bytes()
    if len(content) < 4 or content[:3] != bytes((0, 0, _UNSIGNED_BYTE)):
        raise ValueError(f"{path}: not an IDX file of unsigned bytes; download it again")
    rank = content[3]
    start = 4 + 4 * rank
    shape = struct.unpack_from(f">{rank}I", content, 4) if len(content) >= start else ()
    if len(content) != start + math.prod(shape):
        raise ValueError(f"{path}: {len(content)} bytes do not match shape {shape}; download it again")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def write_idx(path: Path, array: np.ndarray) -> None:
    """Write a uint8 array."""
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, _UNSIGNED_BYTE, array.ndim, *array.shape)
    path.write_bytes(head + np.ascontiguousarray(array, np.uint8).tobytes())
