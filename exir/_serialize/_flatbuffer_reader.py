"""Read tables of `exir.schema` from untrusted bytes.

Every offset is checked before it is followed. A budget limits the bytes read to a fixed multiple of
the file's length. Without it, a small file whose vectors share elements could expand to a huge
program.
"""

import struct
from typing import Any

from exir._serialize._tables import (
    WIRES,
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
from exir.base_error import InvalidProgramError

_WORK_PER_BYTE = 8
_U16 = struct.Struct("<H")
_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")


def read_root(table: type, data: memoryview) -> Any:
    """Return the root table of the flatbuffer `data` as an object of class `table`.

    Byte vectors are views of `data`. Raises an `InvalidProgramError` that names the element that is
    out of bounds or inconsistent.
    """
    return _FlatbufferReader(data).root(table)


class _FlatbufferReader:
    """Bounds-checked access to one flatbuffer, with a budget of bytes to read."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._budget = _WORK_PER_BYTE * len(data) + 64

    def root(self, table: type) -> Any:
        return self._read_table(table, self._read_offset(0, "root"), table.__name__)

    def _check_range(self, position: int, size: int, place: str) -> None:
        if size > len(self._data) or position > len(self._data) - size:
            self._malformed(
                place, f"{size} bytes at {position} exceed the {len(self._data)} bytes of data"
            )
        self._budget -= size
        if self._budget < 0:
            self._malformed(place, "too many elements share bytes")

    def _malformed(self, place: str, fault: str) -> None:
        raise InvalidProgramError(f"{place}: {fault}")

    def _read_offset(self, position: int, place: str) -> int:
        self._check_range(position, 4, place)
        offset = _U32.unpack_from(self._data, position)[0]
        if offset == 0:
            self._malformed(place, "offset 0 points to itself")
        return int(position + offset)

    def _read_table(self, table: type, position: int, place: str) -> Any:
        slots = self._read_vtable(position, place)
        values = {f.name: self._read_field(f, position, slots, place) for f in fields_of(table)}
        return table(**{name: value for name, value in values.items() if value is not None})

    def _read_vtable(self, position: int, place: str) -> tuple[int, ...]:
        """Return the vtable of the table at `position`.

        It contains the offset of each field from the table; 0 means that the field is absent.
        """
        self._check_range(position, 4, place)
        vtable = position - _I32.unpack_from(self._data, position)[0]
        if vtable < 0:
            self._malformed(place, f"vtable at {vtable} is before the file")
        self._check_range(vtable, 4, f"{place}: vtable")
        size = _U16.unpack_from(self._data, vtable)[0]
        if size < 4 or size % 2:
            self._malformed(place, f"vtable size {size} is not an even number of at least 4")
        self._check_range(vtable, size, f"{place}: vtable")
        return struct.unpack_from(f"<{size // 2 - 2}H", self._data, vtable + 4)

    def _read_field(self, field: TableField, table: int, slots: tuple[int, ...], place: str) -> Any:
        """Return the field's value, or None if the field is absent."""
        offset = slots[field.slot] if field.slot < len(slots) else 0
        name = f"{place}.{field.name}"
        if isinstance(field.kind, UnionKind):
            tag_offset = slots[field.slot - 1] if field.slot - 1 < len(slots) else 0
            return self._read_union(field.kind, table, (tag_offset, offset), name)
        return self._read_value(field.kind, table + offset, name) if offset else None

    def _read_value(self, kind: Kind, position: int, place: str) -> Any:
        match kind:
            case ScalarKind():
                return self._read_scalar(kind, position, place)
            case StringKind():
                return self._read_string(self._read_offset(position, place), place)
            case BytesKind():
                return self._vector_bytes(self._read_offset(position, place), 1, place)
            case TableKind(table):
                return self._read_table(table, self._read_offset(position, place), place)
            case VectorKind(ScalarKind() as element):
                return self._read_scalars(element, self._read_offset(position, place), place)
            case VectorKind(TableKind(table)):
                return self._read_tables(table, self._read_offset(position, place), place)
        raise TypeError(f"{kind} has no reader")

    def _read_union(self, kind: UnionKind, table: int, offsets: tuple[int, int], place: str) -> Any:
        if not all(offsets):
            self._malformed(place, "the union has no tag or no value")
        tag = self._read_number(WIRES["uint8"], table + offsets[0], place)
        if not 1 <= tag <= len(kind.tables):
            self._malformed(place, f"union tag {tag} is not in 1..{len(kind.tables)}")
        return self._read_table(
            kind.tables[tag - 1], self._read_offset(table + offsets[1], place), place
        )

    def _read_number(self, wire: Wire, position: int, place: str) -> Any:
        self._check_range(position, wire.size, place)
        return struct.unpack_from(f"<{wire.code}", self._data, position)[0]

    def _read_scalar(self, kind: ScalarKind, position: int, place: str) -> Any:
        value = self._read_number(kind.wire, position, place)
        if kind.enum is None:
            return value
        if value not in kind.enum._value2member_map_:
            self._malformed(place, f"{value} is not a {kind.enum.__name__}")
        return kind.enum(value)

    def _vector_bytes(self, position: int, item_size: int, place: str) -> memoryview:
        """Return the bytes of the vector at `position`, without its element count."""
        self._check_range(position, 4, place)
        size = _U32.unpack_from(self._data, position)[0] * item_size
        self._check_range(position + 4, size, place)
        return self._data[position + 4 : position + 4 + size]

    def _read_string(self, position: int, place: str) -> str:
        span = self._vector_bytes(position, 1, place)
        end = position + 4 + len(span)
        self._check_range(end, 1, place)
        if self._data[end] != 0:
            self._malformed(place, "the string does not end with NUL")
        try:
            return bytes(span).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidProgramError(f"{place}: the string is not UTF-8: {error.reason}") from error

    def _read_scalars(self, kind: ScalarKind, position: int, place: str) -> list[Any]:
        span = self._vector_bytes(position, kind.wire.size, place)
        return list(struct.unpack(f"<{len(span) // kind.wire.size}{kind.wire.code}", span))

    def _read_tables(self, table: type, position: int, place: str) -> list[Any]:
        span = self._vector_bytes(position, 4, place)
        return [
            self._read_table(
                table, self._read_offset(position + 4 + 4 * index, place), f"{place}[{index}]"
            )
            for index in range(len(span) // 4)
        ]
