"""The distinct ranges of attribute words.

Verification tables refer to them by index.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import Any, get_args, get_origin

from backends.cpu.schema.declarations import (
    INT32_MAX,
    INT32_MIN,
    Int64,
    OpSpec,
    Part,
    Record,
    is_optional_float,
    parts_of,
)
from backends.cpu.schema.registry import ALL_OPS

ANY = 0
POSITIVE = 1
"""Indices of the two ranges that are not integer bounds."""

_FULL = (INT32_MIN, INT32_MAX)


def word_ranges(record: type[Record]) -> list[int]:
    """Return the range index of each word.

    For a repeated field, the words of one element are at the end of the list.
    """
    indices: dict[int, int] = {}
    for part in parts_of(record):
        for word, bounds in enumerate(_bounds(part.annotation, part)):
            at = part.offset + word
            indices[at] = ANY if at in indices else _index(bounds)
    return [indices[at] for at in range(len(indices))]


def bounds_at(index: int) -> tuple[int, int]:
    """Return the integer bounds of range `index`."""
    return _ranges()[index - 2]


def ranges_source() -> str:
    """Return the C file with the ranges."""
    rows = "".join(f"    {{{_c_integer(low)}, {_c_integer(high)}}},\n" for low, high in _ranges())
    return (
        "/* Generated from backends/cpu/schema. */\n"
        '#include "backends/cpu/ops/op_schema.h"\n\n'
        "/* The first two are ET_CPU_RANGE_ANY and ET_CPU_RANGE_POSITIVE. */\n"
        f"const et_cpu_attribute_range et_cpu_attribute_ranges[] = {{\n    {{0, 0}},\n    {{0, 0}},\n{rows}}};\n"
    )


def _c_integer(value: int) -> str:
    return "INT32_MIN" if value == INT32_MIN else str(value)


def _index(bounds: tuple[int, int] | str) -> int:
    if isinstance(bounds, str):
        return POSITIVE
    return ANY if bounds == _FULL else 2 + _ranges().index(bounds)


def _ranges() -> tuple[tuple[int, int], ...]:
    found = {bounds for op in ALL_OPS for bounds in _all_bounds(op)}
    return tuple(sorted(found - {_FULL}))


def _all_bounds(op: type[OpSpec]) -> Iterator[tuple[int, int]]:
    for part in parts_of(op):
        yield from (bounds for bounds in _bounds(part.annotation, part) if not isinstance(bounds, str))


def _bounds(annotation: Any, part: Part) -> Iterator[tuple[int, int] | str]:
    """Yield the bounds of each word, or "positive" for a positive float."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield from _record_bounds(annotation, part.limits_of)
    elif is_optional_float(annotation):
        yield from ((0, 1), _FULL)
    elif get_origin(annotation) is tuple:
        for element in get_args(annotation):
            yield from _bounds(element, part)
    elif annotation is float:
        yield "positive" if part.is_positive else _FULL
    elif annotation is Int64:
        yield from (_FULL, _FULL)
    elif annotation is bool:
        yield 0, 1
    elif issubclass(annotation, IntEnum):
        yield max(min(annotation), part.limits[0]), min(max(annotation), part.limits[1])
    else:
        yield part.limits


def _record_bounds(record: type[Record], limits_of: Mapping[str, tuple[int, int]]) -> Iterator[tuple[int, int] | str]:
    found: dict[int, tuple[int, int] | str] = {}
    for declared in parts_of(record):
        part = replace(declared, limits=limits_of.get(declared.name, declared.limits))
        for word, bounds in enumerate(_bounds(part.annotation, part)):
            at = part.offset + word
            found[at] = _FULL if at in found else bounds
    yield from (found[at] for at in range(len(found)))
