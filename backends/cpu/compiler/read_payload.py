"""Decodes payloads, for the runtime's memory requirements and for tests."""

from dataclasses import dataclass

from backends.cpu.schema.payload_tables import (
    WORD_BYTES,
    DataEntry,
    DimEntry,
    OpEntry,
    TableReader,
    ValueEntry,
    open_payload,
)
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

    Raises `InvalidProgramError` for invalid data.
    """
    try:
        header, reader = open_payload(payload)
    except ValueError as error:
        raise InvalidProgramError(str(error)) from error
    keys = payload[len(payload) - header.key_bytes - (-header.key_bytes % WORD_BYTES) :]
    return PayloadRows(
        header.input_count,
        header.output_count,
        header.scratch_bytes,
        tuple(reader.entry(DimEntry) for _ in range(header.dim_count)),
        tuple(_value(reader) for _ in range(header.value_count)),
        tuple(_data(reader.entry(DataEntry), keys) for _ in range(header.data_count)),
        tuple(_op(reader) for _ in range(header.op_count)),
    )


def _value(reader: TableReader) -> ValueRow:
    entry = reader.entry(ValueEntry)
    return ValueRow(entry.dtype, entry.place, entry.index, entry.offset, entry.order, reader.take(entry.rank))


def _data(entry: DataEntry, keys: bytes) -> tuple[str, int]:
    return keys[entry.key_offset : entry.key_offset + entry.key_bytes].decode(), entry.data_bytes


def _op(reader: TableReader) -> StepRow:
    entry = reader.entry(OpEntry)
    return StepRow(
        kind=entry.code,
        inputs=reader.take(entry.input_count),
        outputs=reader.take(entry.output_count),
        workspaces=reader.take(entry.workspace_count),
        dims=reader.take(entry.dim_count),
        words=reader.take(entry.attribute_count),
    )
