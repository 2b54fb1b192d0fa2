"""A validator of JSON schemas for tests.

It shares no code with the compiler of grammars.
"""

from __future__ import annotations

import datetime
import math
import re
from typing import Any

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_IGNORED = {"$schema", "title", "$defs", "definitions", "description", "default"}


def is_valid(value: Any, schema: Any, root: Any) -> bool:
    """Return whether a value is valid. Raises `KeyError` for an unknown keyword."""
    if isinstance(schema, bool):
        return schema
    return all(_CHECKS[name](value, schema, root) for name in schema if name not in _IGNORED)


def _same(one: Any, other: Any) -> bool:
    """Return whether JSON values are equal; booleans are not numbers."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return (type(one) is type(other) and one == other) or (_is_number(one) and _is_number(other) and one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_type(value: Any, name: str) -> bool:
    if name == "integer":
        return _is_number(value) and float(value).is_integer()
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _PYTHON_TYPES[name])


def _type(value: Any, schema: Any, root: Any) -> bool:
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return any(_has_type(value, name) for name in names)


def _reference(value: Any, schema: Any, root: Any) -> bool:
    found = root
    for part in schema["$ref"].split("/")[1:]:
        found = found[part]
    return is_valid(value, found, root)


def _count(value: Any, options: Any, root: Any) -> int:
    return sum(is_valid(value, option, root) for option in options)


def _properties(value: Any, schema: Any, root: Any) -> bool:
    if not isinstance(value, dict):
        return True
    named = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    return all(is_valid(item, named.get(key, others), root) for key, item in value.items())


def _items(value: Any, schema: Any, root: Any) -> bool:
    if not isinstance(value, list):
        return True
    first, others = schema.get("prefixItems", []), schema.get("items", True)
    return all(is_valid(item, first[i] if i < len(first) else others, root) for i, item in enumerate(value))


def _has_format(value: str, name: str) -> bool:
    """Return whether a text has the format `date`, which is the only known one."""
    try:
        return {"date": datetime.date.fromisoformat}[name](value) is not None
    except ValueError:
        return False


def _within(kinds: Any, measure: Any, low: str, high: str) -> Any:
    """Return a check of limits, for values of some types."""

    def check(value: Any, schema: Any, root: Any) -> bool:
        if not isinstance(value, kinds) or isinstance(value, bool):
            return True
        return bool(schema.get(low, -math.inf) <= measure(value) <= schema.get(high, math.inf))

    return check


_LENGTH = _within(str, len, "minLength", "maxLength")
_SIZE = _within(list, len, "minItems", "maxItems")
_MEMBERS = _within(dict, len, "minProperties", "maxProperties")
_RANGE = _within((int, float), float, "minimum", "maximum")
_CHECKS: dict[str, Any] = {
    "type": _type,
    "$ref": _reference,
    "const": lambda value, schema, root: _same(value, schema["const"]),
    "enum": lambda value, schema, root: any(_same(value, each) for each in schema["enum"]),
    "anyOf": lambda value, schema, root: _count(value, schema["anyOf"], root) > 0,
    "oneOf": lambda value, schema, root: _count(value, schema["oneOf"], root) == 1,
    "allOf": lambda value, schema, root: _count(value, schema["allOf"], root) == len(schema["allOf"]),
    "properties": _properties,
    "additionalProperties": _properties,
    "propertyNames": lambda value, schema, root: (
        not isinstance(value, dict) or all(is_valid(key, schema["propertyNames"], root) for key in value)
    ),
    "required": lambda value, schema, root: not isinstance(value, dict) or set(schema["required"]) <= value.keys(),
    "items": _items,
    "prefixItems": _items,
    "pattern": lambda value, schema, root: (
        not isinstance(value, str) or bool(re.search(schema["pattern"], value, re.ASCII))
    ),
    "format": lambda value, schema, root: not isinstance(value, str) or _has_format(value, schema["format"]),
    "minLength": _LENGTH,
    "maxLength": _LENGTH,
    "minItems": _SIZE,
    "maxItems": _SIZE,
    "minProperties": _MEMBERS,
    "maxProperties": _MEMBERS,
    "minimum": _RANGE,
    "maximum": _RANGE,
    "exclusiveMinimum": lambda value, schema, root: not _is_number(value) or value > schema["exclusiveMinimum"],
    "exclusiveMaximum": lambda value, schema, root: not _is_number(value) or value < schema["exclusiveMaximum"],
}
