"""The flatbuffer layout of `exir.schema`'s dataclasses, read from annotations."""

import dataclasses
import types
import typing
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Annotated, Any, Union

BUFFER_ALIGNMENT = 16
"""Alignment (`force_align`) of byte vectors annotated with "aligned"."""


@dataclass(frozen=True)
class Wire:
    """The encoding of a scalar: type name, `struct` code, size in bytes."""

    name: str
    code: str
    size: int


WIRES = {
    wire.name: wire
    for wire in (
        Wire("bool", "?", 1),
        Wire("uint8", "B", 1),
        Wire("int8", "b", 1),
        Wire("int16", "h", 2),
        Wire("int32", "i", 4),
        Wire("uint32", "I", 4),
        Wire("int64", "q", 8),
        Wire("uint64", "Q", 8),
        Wire("float32", "f", 4),
        Wire("float64", "d", 8),
    )
}


@dataclass(frozen=True)
class ScalarKind:
    """A scalar; `enum` is the enumeration of its values, if it has one."""

    wire: Wire
    enum: type[IntEnum] | None = None


@dataclass(frozen=True)
class StringKind:
    """NUL-terminated UTF-8 text."""


@dataclass(frozen=True)
class BytesKind:
    """A vector of bytes."""

    alignment: int


@dataclass(frozen=True)
class TableKind:
    """A reference to a table."""

    table: type


@dataclass(frozen=True)
class UnionKind:
    """One of several tables.

    The preceding slot stores the tag: the position in `tables`, from 1.
    """

    tables: tuple[type, ...]


@dataclass(frozen=True)
class VectorKind:
    """A vector of scalars or of tables."""

    element: ScalarKind | TableKind


Kind = ScalarKind | StringKind | BytesKind | TableKind | UnionKind | VectorKind


@dataclass(frozen=True)
class TableField:
    """A field: attribute name, flatbuffer field id, kind and default value.

    A scalar field that has its default value is not written.
    """

    name: str
    slot: int
    kind: Kind
    default: Any
    optional: bool


@cache
def fields_of(table: type) -> tuple[TableField, ...]:
    """Return the fields of a dataclass of `exir.schema`, sorted by id."""
    hints = typing.get_type_hints(table, include_extras=True)
    fields = []
    slot = 0
    for item in dataclasses.fields(table):
        hint, slot = _type_and_id(hints[item.name], slot)
        hints[item.name] = hint
        kind = _kind_of(hint)
        slot += isinstance(kind, UnionKind)  # the union's tag is in the previous slot
        fields.append(TableField(item.name, slot, kind, item.default, _is_optional(hints[item.name])))
        slot += 1
    return tuple(fields)


def _type_and_id(hint: Any, slot: int) -> tuple[Any, int]:
    """Return the type and the id of a field.

    The id is `slot`, unless the annotation "slot <id>" specifies another.
    """
    if typing.get_origin(hint) is Annotated:
        base, *marks = typing.get_args(hint)
        if isinstance(marks[0], str) and marks[0].startswith("slot "):
            return base, int(marks[0].removeprefix("slot "))
    return hint, slot


def _is_optional(hint: Any) -> bool:
    return typing.get_origin(hint) in (Union, types.UnionType) and type(None) in typing.get_args(hint)


def _kind_of(hint: Any) -> Kind:
    if _is_optional(hint):
        hint = next(arg for arg in typing.get_args(hint) if arg is not types.NoneType)
    origin = typing.get_origin(hint)
    if origin is list:
        return VectorKind(typing.cast(ScalarKind | TableKind, _kind_of(typing.get_args(hint)[0])))
    if origin in (Union, types.UnionType):
        return UnionKind(typing.get_args(hint))
    if origin is Annotated:
        return _annotated_kind(*typing.get_args(hint))
    return _plain_kind(hint)


def _annotated_kind(base: Any, wire: str, *marks: str) -> Kind:
    if base in (bytes, bytes | memoryview):
        return BytesKind(BUFFER_ALIGNMENT if "aligned" in marks else 1)
    return ScalarKind(WIRES[wire], base if issubclass(base, IntEnum) else None)


def _plain_kind(hint: type) -> Kind:
    if hint is str:
        return StringKind()
    if hint is bool:
        return ScalarKind(WIRES["bool"])
    return TableKind(hint)
