"""A JSON schema with its references, and proofs that schemas are disjoint."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

from llm.grammar.expressions import GrammarError

# Keywords that do not change which values are valid.
ANNOTATIONS = (
    "$comment",
    "$defs",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
)
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")

_MOST_NESTED = 16
_MOST_COMPARISONS = 20_000


def fail(path: str, problem: str) -> GrammarError:
    """Return an error that names the place in the schema."""
    return GrammarError(f"{path}: {problem}")


def at(path: str, *keys: str | int) -> str:
    """Return the path of a part of a schema, as a JSON pointer."""
    return "/".join([path, *(str(key).replace("~", "~0").replace("/", "~1") for key in keys)])


class Document:
    """A JSON schema, and the parts that `$ref` names."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._comparisons = 0

    def resolve(self, reference: Any, path: str) -> Any:
        """Return the schema of a reference in the schema at `path`. Raises `GrammarError`."""
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            raise fail(at(path, "$ref"), f"{_short(reference)} is not in this schema; supported are '#' and '#/...'")
        found = self.root
        for part in reference.split("/")[1:]:
            key = urllib.parse.unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and key in found:
                found = found[key]
            elif isinstance(found, list) and key.isdecimal() and len(key) < 9 and int(key) < len(found):
                found = found[int(key)]
            else:
                raise fail(at(path, "$ref"), f"{reference!r} does not exist; the schema has no {part!r} there")
        return found

    def are_disjoint(self, first: Any, second: Any, depth: int = 0) -> bool:
        """Return whether it is clear that no value is valid for both schemas."""
        self._comparisons += 1
        if self._comparisons > _MOST_COMPARISONS:
            return False
        first, second = self._resolved(first), self._resolved(second)
        if depth > _MOST_NESTED or not isinstance(first, dict) or not isinstance(second, dict):
            return first is False or second is False
        for one, other in ((first, second), (second, first)):
            options = one.get("anyOf", one.get("oneOf"))
            if isinstance(options, list):
                return all(self.are_disjoint(option, other, depth + 1) for option in options)
        kinds = [_types(schema) for schema in (first, second)]
        if not kinds[0] & kinds[1]:
            return True
        values = [_values(schema) for schema in (first, second)]
        if values[0] is not None and values[1] is not None:
            return not any(equal(one, other) for one in values[0] for other in values[1])
        return kinds[0] & kinds[1] == {"object"} and self._disjoint_members(first, second, depth)

    def _disjoint_members(self, first: Mapping[str, Any], second: Mapping[str, Any], depth: int) -> bool:
        properties = [_mapping(schema.get("properties")) for schema in (first, second)]
        required = [_strings(schema.get("required")) for schema in (first, second)]
        for name in required[0] | required[1]:
            in_both = all(name in each for each in (*properties, *required))
            if in_both and self.are_disjoint(properties[0][name], properties[1][name], depth + 1):
                return True
            for needed, schema, known in ((required[0], second, properties[1]), (required[1], first, properties[0])):
                if name in needed and name not in known and schema.get("additionalProperties") is False:
                    return True
        return False

    def _resolved(self, schema: Any) -> Any:
        for _ in range(_MOST_NESTED):
            if not isinstance(schema, dict) or "$ref" not in schema:
                break
            schema = self.resolve(schema["$ref"], "#")
        return schema


def keywords(schema: Mapping[str, Any]) -> list[str]:
    """Return the keywords that restrict which values are valid."""
    return [name for name in schema if name not in ANNOTATIONS]


def equal(first: Any, second: Any) -> bool:
    """Return whether two JSON values are equal. Booleans are not numbers."""
    return _comparable(first) == _comparable(second)


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return ("object", sorted((key, _comparable(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("array", [_comparable(item) for item in value])
    return (isinstance(value, bool), value)


def type_of(value: Any) -> str:
    """Return the JSON type of a value; a number without a fraction is an integer."""
    if isinstance(value, bool) or value is None:
        return "boolean" if value is not None else "null"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    return {float: "number", str: "string", list: "array", dict: "object"}[type(value)]


def _types(schema: Mapping[str, Any]) -> set[str]:
    """Return the types that a schema permits.

    'number' is a number that is not an integer.
    """
    values = _values(schema)
    if values is not None:
        return {type_of(value) for value in values}
    named = schema.get("type", TYPES)
    types = set([named] if isinstance(named, str) else named)
    return types | {"integer"} if "number" in types else types


def _values(schema: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the values of `const` or `enum`, or None."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> set[str]:
    return {item for item in value if isinstance(item, str)} if isinstance(value, list) else set()


def _short(value: Any) -> str:
    return json.dumps(value)[:80]
