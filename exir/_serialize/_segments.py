"""The pieces of a serialized file: its tables and its segment area."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO

from exir import schema


@dataclass(frozen=True)
class SerializedProgram:
    """A file as an ordered list of pieces. Constants are views of the tensors' memory."""

    pieces: tuple[bytes | memoryview, ...]

    def __len__(self) -> int:
        return sum(len(piece) for piece in self.pieces)

    def __bytes__(self) -> bytes:
        return b"".join(self.pieces)

    def write_to_file(self, file: BinaryIO) -> None:
        """Write piece by piece, without a second copy of the weights in memory."""
        for piece in self.pieces:
            file.write(piece)


class Segments:
    """The area after the flatbuffer: aligned segments in the order they were added."""

    def __init__(self, alignment: int) -> None:
        self._alignment = alignment
        self.base_alignment = alignment  # alignment of the whole area in the file
        self.table: list[schema.DataSegment] = []
        self.pieces: list[bytes | memoryview] = []
        self.size = 0

    def add(self, pieces: Iterable[bytes | memoryview], alignment: int = 1) -> int:
        """Add a segment that consists of `pieces` and return its index."""
        pieces = list(pieces)
        length = sum(len(piece) for piece in pieces)
        start = align_up(self.size, math.lcm(self._alignment, alignment)) if length else 0
        if length:
            self.base_alignment = math.lcm(self.base_alignment, alignment)
            self.pieces += [bytes(start - self.size), *pieces]
            self.size = start + length
        self.table.append(schema.DataSegment(start, length))
        return len(self.table) - 1


def align_up(value: int, alignment: int) -> int:
    """Return the smallest multiple of `alignment` that is at least `value`."""
    return -(-value // alignment) * alignment


def order_of_key(key: str) -> tuple[int, bytes]:
    """Sort key: length, then bytes. The runtime's binary search uses this order."""
    data = key.encode()
    return len(data), data


def write_root(root: Any, identifier: bytes, inline_alignment: int = 1) -> bytes:
    """Return the flatbuffer of `root` (a table of `exir.schema`).

    inline_alignment: minimum alignment of force-aligned byte vectors.
    """
    # `flatbuffers` is imported only here, because the interpreter that links prebuilt programs has
    # no packages.
    from exir._serialize._flatbuffer_writer import written

    return written(root, identifier, inline_alignment)
