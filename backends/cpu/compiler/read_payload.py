"""Decodes payloads, for the runtime's memory requirements and for tests."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from backends.cpu.compiler.dim_table import DimEntry, DimOp
from backends.cpu.compiler.payload import HEADER_WORDS, MAGIC, VERSION, WORD
from exir.error import InvalidProgramError


@dataclass(frozen=True)
class ValueRow:
    """A value.

    `dims` are indices into the table of dims. `order` has four bits per dimension.
    """

    dtype: int
    place: int
    index: int
    offset: int
    order: int
    dims: tuple[int, ...]


@dataclass(frozen=True)
class StepRow:
    """An op: indices of its values and dims, and its attribute words."""

    kind: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    workspaces: tuple[int, ...]
    dims: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True)
class PayloadRows:
    """The tables of a payload.

    `data` has the key and the size in bytes of each piece of named data.
    """

    input_count: int
    output_count: int
    scratch_bytes: int
    dims: tuple[DimEntry, ...]
    values: tuple[ValueRow, ...]
    data: tuple[tuple[str, int], ...]
    ops: tuple[StepRow, ...]


def read(payload: bytes) -> PayloadRows:
    """Decode a payload that `payload.write` encoded.

    Raises `InvalidProgramError` for other data.
    """
    words = struct.unpack(f"<{len(payload) // WORD}I", payload[: len(payload) // WORD * WORD])
    if words[:2] != (MAGIC, VERSION) or words[2] * WORD != len(payload):
        raise InvalidProgramError(f"not a version {VERSION} payload of the cpu backend")
    return _Reader(words, payload).rows()


class _Reader:
    """Reads the tables in order."""

    def __init__(self, words: Sequence[int], payload: bytes) -> None:
        self._words = words
        self._payload = payload
        self._at = HEADER_WORDS

    def rows(self) -> PayloadRows:
        """Return all tables."""
        header = self._words[:HEADER_WORDS]
        inputs, outputs, dims, values, data, ops, scratch, key_bytes = header[3:]
        return PayloadRows(
            inputs,
            outputs,
            scratch,
            tuple(self._dim() for _ in range(dims)),
            tuple(self._value() for _ in range(values)),
            tuple(self._data(key_bytes) for _ in range(data)),
            tuple(self._op() for _ in range(ops)),
        )

    def _take(self, count: int) -> tuple[int, ...]:
        self._at += count
        return tuple(self._words[self._at - count : self._at])

    def _dim(self) -> DimEntry:
        op, a, b, maximum = self._take(4)
        return DimEntry(DimOp(op), a, b, maximum)

    def _value(self) -> ValueRow:
        dtype, rank, place, index, offset, order = self._take(6)
        return ValueRow(dtype, place, index, offset, order, self._take(rank))

    def _data(self, key_bytes: int) -> tuple[str, int]:
        offset, size, length = self._take(3)
        keys = self._payload[len(self._payload) - key_bytes - (-key_bytes % WORD) :]
        return keys[offset : offset + size].decode(), length

    def _op(self) -> StepRow:
        kind, *counts = self._take(6)
        return StepRow(kind, *(self._take(count) for count in counts))
