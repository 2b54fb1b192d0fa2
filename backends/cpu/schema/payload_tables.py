"""The tables of a payload: the header, and the fixed words of table entries.

PAYLOAD.md describes their meaning. `codegen/c_headers.py` writes them to `payload_tables.h`.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, TypeVar

from backends.cpu.schema.declarations import Record, word_count

MAGIC = 0x43504531
VERSION = 1
WORD_BYTES = 4


class Place(IntEnum):
    """Location of a tensor's memory.

    DATA is named data of the program, which is read in place. STATE is a mutable buffer of the
    program, which is updated in place.
    """

    INPUT = 0
    OUTPUT = 1
    SCRATCH = 2
    DATA = 3
    STATE = 4


class DimOp(IntEnum):
    """Operations that compute dims.

    CONST is the integer a. SIZE is the size of dimension b of argument a. INT is the value of
    argument a. For all others, a and b are indices of earlier dims.
    """

    CONST = 0
    SIZE = 1
    INT = 2
    ADD = 3
    SUB = 4
    MUL = 5
    FLOORDIV = 6
    MOD = 7
    MIN = 8
    MAX = 9


class Entry(Record):
    """The fixed words of a table entry. Its integers are unsigned."""

    is_unsigned: ClassVar[bool] = True


@dataclass(frozen=True)
class PayloadHeader(Entry):
    """The first words of a payload.

    `total_words` is the size of the payload. Inputs include states.
    """

    magic: int
    version: int
    total_words: int
    input_count: int
    output_count: int
    dim_count: int
    value_count: int
    data_count: int
    op_count: int
    scratch_bytes: int
    key_bytes: int


@dataclass(frozen=True)
class DimEntry(Entry):
    """An integer that is computed for each call. It is in `0..maximum`."""

    c_name: ClassVar[str | None] = "dim"

    op: DimOp
    a: int
    b: int
    maximum: int


@dataclass(frozen=True)
class ValueEntry(Entry):
    """A tensor. Indices of `rank` dims follow.

    `index` is the number of the argument or of the named data. `offset` is in bytes,
    in scratch memory or in the named data. `order` has four bits per dimension.
    """

    dtype: int
    rank: int
    place: int
    index: int
    offset: int
    order: int


@dataclass(frozen=True)
class DataEntry(Entry):
    """A piece of named data.

    `key_offset` is relative to the keys at the end of the payload.
    """

    key_offset: int
    key_bytes: int
    data_bytes: int


@dataclass(frozen=True)
class OpEntry(Entry):
    """An op.

    The indices of its inputs, outputs, workspaces and dims follow, then its attribute words.
    """

    code: int
    input_count: int
    output_count: int
    workspace_count: int
    dim_count: int
    attribute_count: int


ENUMS: tuple[type[IntEnum], ...] = (Place, DimOp)
ENTRIES: tuple[type[Entry], ...] = (PayloadHeader, DimEntry, ValueEntry, DataEntry, OpEntry)

_Entry = TypeVar("_Entry", bound=Entry)


class TableReader:
    """Reads the words of a payload in order."""

    def __init__(self, words: Sequence[int]) -> None:
        self._words = words
        self._at = 0

    def entry(self, kind: type[_Entry]) -> _Entry:
        """Return the next fixed words as an entry.

        Raises ValueError for an invalid code.
        """
        return kind.read(self.take(word_count(kind)))

    def take(self, count: int) -> tuple[int, ...]:
        """Return the next `count` words. Raises IndexError at the end of the payload."""
        if count > len(self._words) - self._at:
            raise IndexError(self._at)
        self._at += count
        return tuple(self._words[self._at - count : self._at])


def open_payload(payload: bytes) -> tuple[PayloadHeader, TableReader]:
    """Return the header, and a reader of the tables.

    Raises ValueError if `payload` is not a payload of this version.
    """
    count = len(payload) // WORD_BYTES
    reader = TableReader(struct.unpack(f"<{count}I", payload[: count * WORD_BYTES]))
    if count >= word_count(PayloadHeader):
        header = reader.entry(PayloadHeader)
        if (header.magic, header.version, header.total_words * WORD_BYTES) == (MAGIC, VERSION, len(payload)):
            return header, reader
    raise ValueError(f"not a version {VERSION} CpuBackend payload")
