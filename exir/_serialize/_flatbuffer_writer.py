"""Write tables of `exir.schema` with a `flatbuffers.Builder`.

A writer function is composed once for each table class, so that writing does not look up fields by
name.
"""

import struct
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import flatbuffers
from flatbuffers import number_types

from exir._serialize._tables import (
    BytesKind,
    Kind,
    ScalarKind,
    StringKind,
    TableField,
    TableKind,
    UnionKind,
    VectorKind,
    Wire,
    fields_of,
)

Write: TypeAlias = Callable[["_AlignedBuilder", Any], int]
FillSlot: TypeAlias = Callable[["_AlignedBuilder", Any, int], None]

_FLAGS = {
    "bool": number_types.BoolFlags,
    "uint8": number_types.Uint8Flags,
    "int8": number_types.Int8Flags,
    "int32": number_types.Int32Flags,
    "uint32": number_types.Uint32Flags,
    "int64": number_types.Int64Flags,
    "uint64": number_types.Uint64Flags,
    "float64": number_types.Float64Flags,
}


class _AlignedBuilder(flatbuffers.Builder):
    """A builder that aligns force-aligned byte vectors to a minimum alignment."""

    def __init__(self, inline_alignment: int) -> None:
        super().__init__(1 << 16)
        self.inline_alignment = inline_alignment


def written(root: Any, identifier: bytes, inline_alignment: int = 1) -> bytes:
    """Implement `write_root`."""
    builder = _AlignedBuilder(inline_alignment)
    builder.Finish(_table_writer(root.__class__)(builder, root), file_identifier=identifier)
    return bytes(builder.Output())


@cache
def _table_writer(table: type) -> Write:
    """Return a function that writes a table.

    It writes children first, because a table can only point to objects already written.
    """
    fields = fields_of(table)
    slots = fields[-1].slot + 1 if fields else 0
    children = [
        (index, f.name, _child_writer(f.kind)) for index, f in enumerate(fields) if not _is_scalar(f)
    ]
    fillers = [(index, f.name, _slot_filler(f)) for index, f in enumerate(fields)]

    def write(builder: _AlignedBuilder, value: Any) -> int:
        offsets = [0] * len(fields)
        for index, name, write_child in children:
            child = getattr(value, name)
            if child is not None:
                offsets[index] = write_child(builder, child)
        builder.StartObject(slots)
        for index, name, fill in fillers:
            fill(builder, getattr(value, name), offsets[index])
        return builder.EndObject()

    return write


def _is_scalar(field: TableField) -> bool:
    return isinstance(field.kind, ScalarKind)


def _slot_filler(field: TableField) -> FillSlot:
    if isinstance(field.kind, ScalarKind):
        return _scalar_filler(field.slot, _FLAGS[field.kind.wire.name], field.default)
    if isinstance(field.kind, UnionKind):
        return _union_filler(field.slot, field.kind.tables)
    return _offset_filler(field.slot)


def _scalar_filler(slot: int, flags: Any, default: Any) -> FillSlot:
    def fill(builder: _AlignedBuilder, value: Any, _offset: int) -> None:
        if value != default:
            builder.Prepend(flags, value)
            builder.Slot(slot)

    return fill


def _offset_filler(slot: int) -> FillSlot:
    def fill(builder: _AlignedBuilder, _value: Any, offset: int) -> None:
        if offset:
            builder.PrependUOffsetTRelative(offset)
            builder.Slot(slot)

    return fill


def _union_filler(slot: int, tables: tuple[type, ...]) -> FillSlot:
    tags = {table: tag for tag, table in enumerate(tables, start=1)}

    def fill(builder: _AlignedBuilder, value: Any, offset: int) -> None:
        builder.Prepend(number_types.Uint8Flags, tags[type(value)])
        builder.Slot(slot - 1)
        builder.PrependUOffsetTRelative(offset)
        builder.Slot(slot)

    return fill


def _child_writer(kind: Kind) -> Write:
    match kind:
        case StringKind():
            return flatbuffers.Builder.CreateString
        case BytesKind():
            return _bytes_writer(kind.alignment)
        case TableKind():
            return _late_table_writer(kind.table)
        case UnionKind():
            return _write_union
        case VectorKind(ScalarKind(wire)):
            return _scalar_vector_writer(wire)
        case VectorKind(TableKind(table)):
            return _table_vector_writer(table)
    raise TypeError(f"{kind} has no writer")


def _write_union(builder: _AlignedBuilder, value: Any) -> int:
    return _table_writer(value.__class__)(builder, value)


def _late_table_writer(table: type) -> Write:
    return lambda builder, value: _table_writer(table)(builder, value)


def _bytes_writer(alignment: int) -> Write:
    def write(builder: _AlignedBuilder, value: Any) -> int:
        least = max(alignment, builder.inline_alignment) if alignment > 1 else 1
        return _write_packed(builder, bytes(value), 1, len(value), least)

    return write


def _scalar_vector_writer(wire: Wire) -> Write:
    def write(builder: _AlignedBuilder, value: list[Any]) -> int:
        packed = struct.pack(f"<{len(value)}{wire.code}", *value)
        return _write_packed(builder, packed, wire.size, len(value), wire.size)

    return write


def _write_packed(builder: _AlignedBuilder, packed: bytes, size: int, count: int, alignment: int) -> int:
    """Write a vector from its bytes. The builder would write one element at a time."""
    builder.StartVector(size, count, alignment)
    builder.head = builder.Head() - len(packed)
    builder.Bytes[builder.Head() : builder.Head() + len(packed)] = packed
    return builder.EndVector()


def _table_vector_writer(table: type) -> Write:
    def write(builder: _AlignedBuilder, value: list[Any]) -> int:
        write_item = _table_writer(table)
        offsets = [write_item(builder, item) for item in value]
        builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            builder.PrependUOffsetTRelative(offset)
        return builder.EndVector()

    return write
