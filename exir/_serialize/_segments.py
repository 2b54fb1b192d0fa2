"""The pieces of a file, and the area of its segments."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from exir import schema


@dataclass(frozen=True)
class SerializedProgram:
    """A file as a list of pieces, in order; constants are views of the tensors' memory."""

    pieces: tuple[bytes | memoryview, ...]

    def __len__(self) -> int:
        return sum(len(piece) for piece in self.pieces)

    def __bytes__(self) -> bytes:
        return b"".join(self.pieces)

    def write_to_file(self, file: BinaryIO) -> None:
        """Write piece by piece, so that the weights are never held twice."""
        for piece in self.pieces:
            file.write(piece)


class Segments:
    """The area behind the flatbuffer: segments in order of adding, each aligned."""

    def __init__(self, alignment: int) -> None:
        self._alignment = alignment
        self.base_alignment = alignment  # of the area in the file
        self.table: list[schema.DataSegment] = []
        self.pieces: list[bytes | memoryview] = []
        self.size = 0

    def add(self, pieces: Iterable[bytes | memoryview], alignment: int = 1) -> int:
        """The index of a new segment made of `pieces`."""
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
    """The least multiple of `alignment` that is not below `value`."""
    return -(-value // alignment) * alignment


def order_of_key(key: str) -> tuple[int, bytes]:
    """By length, then by bytes, as the runtime compares keys."""
    data = key.encode()
    return len(data), data
