"""Convert a JSON schema to the rules of a grammar.

Every text of the grammar is valid JSON that the schema accepts. The grammar does not have every such
text: properties are in the order of the schema, and white space is one space, or a line break and an
indentation. docs/how_to/use_a_language_model.md lists the supported keywords.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from llm.grammar import json_text
from llm.grammar.document import TYPES, Document, at, fail, keywords, type_of
from llm.grammar.expressions import (
    EMPTY,
    Call,
    Expression,
    Repetition,
    characters,
    choice,
    concatenation,
    literal,
    optional,
)
from llm.grammar.gbnf import ROOT
from llm.grammar.pattern import FORMATS, pattern_text
from text.generate.character_sets import complement, of_points, union

_MOST_COUNT = 60_000
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_KEYWORDS_OF_TYPES: Mapping[str, tuple[str, ...]] = {
    "object": ("properties", "required", "additionalProperties", "propertyNames", "maxProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": _BOUNDS,
    "number": _BOUNDS,
    "boolean": (),
    "null": (),
}
# Keywords that cannot be combined with those of types, and the keywords that they permit.
_ALONE: Mapping[str, tuple[str, ...]] = {
    "$ref": (),
    "allOf": (),
    "anyOf": (),
    "oneOf": (),
    "const": ("type",),
    "enum": ("type",),
}


def schema_rules(schema: Any) -> dict[str, Expression]:
    """Return the rules of a JSON schema; the first one is `root`.

    Raises `GrammarError`, which names the unsupported or invalid part by its JSON pointer.
    """
    try:
        return _Converter(schema).rules()
    except RecursionError as error:
        raise fail("#", "the schema is nested too deeply; use $ref") from error
    except UnicodeEncodeError as error:
        raise fail("#", "a string has half of a surrogate pair, which is not valid Unicode") from error


class _Converter:
    """Converts a schema. Referenced parts and the tails of objects become rules."""

    def __init__(self, schema: Any) -> None:
        self._document = Document(schema)
        self._rules: dict[str, Expression] = {ROOT: EMPTY}
        self._waiting: list[str] = []

    def rules(self) -> dict[str, Expression]:
        self._rules[ROOT] = self._value(self._document.root, "#")
        while self._waiting:
            path = self._waiting.pop()
            self._rules[path] = self._value(self._document.resolve(path, path), path)
        return self._rules | json_text.common_rules()

    def _value(self, schema: Any, path: str) -> Expression:
        """Return the texts of the values of a schema."""
        if isinstance(schema, bool):
            return json_text.VALUE if schema else choice([])
        if not isinstance(schema, dict):
            raise fail(path, "a schema must be an object or a boolean")
        for name in _ALONE:
            if name in schema:
                others = [other for other in keywords(schema) if other not in (name, *_ALONE[name])]
                if others:
                    raise fail(at(path, others[0]), f"is not supported beside {name!r}; move it into the alternatives")
                return self._alone(name, schema, path)
        options = [self._typed(kind, schema, path) for kind in self._types(schema, path)]
        return choice(options) if options else json_text.VALUE

    def _alone(self, name: str, schema: Mapping[str, Any], path: str) -> Expression:
        part = schema[name]
        if name == "$ref":
            self._document.resolve(part, path)
            if part not in self._rules:
                self._rules[part] = EMPTY
                self._waiting.append(part)
            return Call(part)
        if name == "const":
            return self._values([part], schema, path)
        if not isinstance(part, list) or not part:
            raise fail(at(path, name), "must be a list that is not empty")
        if name == "enum":
            return self._values(part, schema, path)
        if name == "allOf" and len(part) > 1:
            raise fail(at(path, name), "is supported only with one schema; join the schemas")
        if name == "oneOf":
            self._check_disjoint(part, at(path, name))
        return choice(self._value(option, at(path, name, i)) for i, option in enumerate(part))

    def _check_disjoint(self, options: Sequence[Any], path: str) -> None:
        for i, first in enumerate(options):
            for j in range(i):
                if not self._document.are_disjoint(options[j], first):
                    raise fail(
                        path,
                        f"a value may match both [{j}] and [{i}]; use anyOf, or a property with different constants",
                    )

    def _values(self, values: Sequence[Any], schema: Mapping[str, Any], path: str) -> Expression:
        """Return the constants among `values` that have the schema's type."""
        types = self._types(schema, path) or TYPES
        allowed = [value for value in values if type_of(value) in types or ("number" in types and _is_number(value))]
        if any(isinstance(value, float) and not math.isfinite(value) for value in values):
            raise fail(path, "has a number that is not finite, which JSON does not have")
        return choice(json_text.json_literal(value) for value in allowed)

    def _types(self, schema: Mapping[str, Any], path: str) -> list[str]:
        """Return the types that a schema names, or those that its keywords belong to."""
        restricting = [name for name in keywords(schema) if name not in ("type", *_ALONE)]
        known = {name for names in _KEYWORDS_OF_TYPES.values() for name in names}
        for name in restricting:
            if name not in known:
                raise fail(at(path, name), "is not supported; remove it, or use a grammar")
        named = schema.get("type")
        if named is None:
            return [kind for kind in TYPES if kind != "integer" and set(restricting) & set(_KEYWORDS_OF_TYPES[kind])]
        types = [named] if isinstance(named, str) else named
        if not isinstance(types, list) or not types or any(kind not in TYPES for kind in types):
            raise fail(at(path, "type"), f"must be one of {', '.join(TYPES)}, or a list of them")
        for name in restricting:
            if not any(name in _KEYWORDS_OF_TYPES[kind] for kind in types):
                raise fail(at(path, name), f"has no effect on the type {named!r}; remove it")
        return [kind for kind in dict.fromkeys(types) if not (kind == "integer" and "number" in types)]

    def _typed(self, kind: str, schema: Mapping[str, Any], path: str) -> Expression:
        if kind == "object":
            return self._object(schema, path)
        if kind == "array":
            return self._array(schema, path)
        if kind == "string":
            return self._string(schema, path)
        if kind in ("integer", "number"):
            return _number(kind, schema, path)
        return json_text.BOOLEAN if kind == "boolean" else json_text.NULL

    def _string(self, schema: Mapping[str, Any], path: str) -> Expression:
        given = [name for name in _KEYWORDS_OF_TYPES["string"] if name in schema]
        for name in ("pattern", "format"):
            if name in given and len(given) > 1:
                raise fail(at(path, name), f"is not supported beside {given[0]!r}; use one pattern")
        if "pattern" in given:
            return json_text.quoted(pattern_text(schema["pattern"], at(path, "pattern")))
        if "format" in given:
            known = FORMATS.get(schema["format"]) if isinstance(schema["format"], str) else None
            if known is None:
                raise fail(at(path, "format"), f"must be one of {', '.join(FORMATS)}; use a pattern for others")
            return json_text.quoted(pattern_text(known, at(path, "format")))
        if not given:
            return json_text.STRING
        return json_text.quoted(Repetition(json_text.CHARACTER, *_limits(schema, "minLength", "maxLength", path)))

    def _array(self, schema: Mapping[str, Any], path: str) -> Expression:
        if schema.get("uniqueItems", False) is not False:
            raise fail(at(path, "uniqueItems"), "is not supported; remove it")
        least, most = _limits(schema, "minItems", "maxItems", path)
        first = schema.get("prefixItems", [])
        if not isinstance(first, list):
            raise fail(at(path, "prefixItems"), "must be a list of schemas")
        items = [self._value(item, at(path, "prefixItems", i)) for i, item in enumerate(first)]
        if isinstance(schema.get("items"), list):
            raise fail(at(path, "items"), "must be a schema; use prefixItems for a list")
        if not first:
            item = self._value(schema.get("items", True), at(path, "items"))
            return json_text.in_brackets(json_text.repeated(item, least, most))
        # Without `items`, more values would be valid, but they are written only if they are required.
        more = "items" in schema or least > len(items)
        most = most if more else min(len(items), len(items) if most is None else most)
        item = self._value(schema.get("items", True), at(path, "items"))
        return json_text.in_brackets(_tuple(items, item, least, most))

    def _object(self, schema: Mapping[str, Any], path: str) -> Expression:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        if not isinstance(properties, dict):
            raise fail(at(path, "properties"), "must be an object of schemas")
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            raise fail(at(path, "required"), "must be a list of names")
        additional = schema.get("additionalProperties", "properties" not in schema)
        # A required property without a schema has that of additional properties.
        undeclared = schema.get("additionalProperties", True)
        names = {name: (part, at(path, "properties", name)) for name, part in properties.items()}
        names |= {name: (undeclared, at(path, "additionalProperties")) for name in required if name not in properties}
        members = [
            (json_text.member(json_text.json_literal(name), self._value(part, where)), name in required)
            for name, (part, where) in names.items()
        ]
        longest = _longest_name(schema, path)
        for name in names:
            if longest is not None and len(name) > longest:
                raise fail(at(path, "propertyNames", "maxLength"), f"excludes the property {name!r}; raise it")
        _, most = _limits(schema, "", "maxProperties", path)
        if most is not None and most < len(members):
            raise fail(at(path, "maxProperties"), f"is less than the {len(members)} properties of the schema; raise it")
        more: Expression = EMPTY
        if additional is not False and most != len(members):
            value = self._value(additional, at(path, "additionalProperties"))
            more = json_text.member(concatenation(literal('"'), _not_in(sorted(names), longest)), value)
        return json_text.in_braces(self._members(members, more, None if most is None else most - len(members), path))

    def _members(
        self, members: Sequence[tuple[Expression, bool]], more: Expression, most: int | None, path: str
    ) -> Expression:
        """Return the members of an object, and up to `most` more.

        Each of `members` is a text, and whether it is required.
        """
        following: Expression = EMPTY if more == EMPTY else Repetition(concatenation(json_text.COMMA, more), 0, most)
        # The members from the i-th one on, if a comma precedes them, or if they are the first ones.
        first: Expression = EMPTY if more == EMPTY else json_text.repeated(more, 0, most)
        for i in reversed(range(len(members))):
            text, is_required = members[i]
            tail: Expression = following
            if i + 1 < len(members) and not is_required:
                # Both the object without this member and the one with it need the tail.
                rule = f"{path} after member {i}"
                self._rules[rule] = following
                tail = Call(rule)
            begun = concatenation(text, tail)
            first = begun if is_required else choice([begun, first])
            next_one = concatenation(json_text.COMMA, text)
            following = concatenation(next_one if is_required else optional(next_one), tail)
        return first


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tuple(items: Sequence[Expression], item: Expression, least: int, most: int | None) -> Expression:
    """Return `least` to `most` items: first different ones, then equal ones."""
    count = len(items) if most is None else min(len(items), most)
    limit = None if most is None else most - count
    rest: Expression = Repetition(concatenation(json_text.COMMA, item), max(least - count, 0), limit)
    for i in reversed(range(count)):
        separated = items[i] if i == 0 else concatenation(json_text.COMMA, items[i])
        rest = concatenation(separated, rest)
        if i >= least:
            rest = optional(rest)
    return rest


def _longest_name(schema: Mapping[str, Any], path: str) -> int | None:
    """Return the maximum length of the names of properties."""
    rules = schema.get("propertyNames", {})
    path = at(path, "propertyNames")
    if not isinstance(rules, dict) or rules.get("type", "string") != "string":
        raise fail(path, "must be a schema of strings")
    for name in keywords(rules):
        if name not in ("type", "maxLength"):
            raise fail(at(path, name), "is not supported; supported is maxLength")
    return _limits(rules, "", "maxLength", path)[1]


def _not_in(names: Sequence[str], longest: int | None) -> Expression:
    """Return the rest of a string, with its closing quote, that is none of the names.

    It has at most `longest` characters, and no escapes.
    """
    if not names or longest == 0:
        rest = concatenation(Repetition(characters(json_text.PLAIN), 0, longest), literal('"'))
        return rest if "" not in names else choice([])
    shorter = None if longest is None else longest - 1
    firsts = sorted({name[0] for name in names if name})
    others = complement(union([complement(json_text.PLAIN), of_points(map(ord, firsts))]))
    options = [concatenation(characters(others), _not_in([], shorter))]
    options += [
        concatenation(literal(first), _not_in([name[1:] for name in names if name.startswith(first)], shorter))
        for first in firsts
        if ord(first) >= 0x20 and first not in '"\\'
    ]
    return choice(options if "" in names else [*options, literal('"')])


def _limits(schema: Mapping[str, Any], least: str, most: str, path: str) -> tuple[int, int | None]:
    """Return the limits of a count."""
    found: list[int | None] = []
    for name, default in ((least, 0), (most, None)):
        value = schema.get(name, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is not default and (
            isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_COUNT
        ):
            raise fail(at(path, name), f"must be an integer from 0 to {_MOST_COUNT}")
        found.append(value)
    low, high = found[0] or 0, found[1]
    if high is not None and low > high:
        raise fail(at(path, least), f"is {low}, more than {most}, which is {high}")
    return low, high


def _number(kind: str, schema: Mapping[str, Any], path: str) -> Expression:
    bounds = {name: schema[name] for name in _BOUNDS if name in schema}
    if not bounds:
        return json_text.INTEGER if kind == "integer" else json_text.NUMBER
    for name, value in bounds.items():
        if not _is_number(value) or not math.isfinite(value) or abs(value) > json_text.LARGEST:
            raise fail(at(path, name), f"must be a number of at most {json_text.MOST_DIGITS} digits")
        if kind == "number" and value != int(value):
            raise fail(at(path, name), "must be an integer; other bounds of numbers are not supported")
    low = max(bounds.get("minimum", -json_text.LARGEST), bounds.get("exclusiveMinimum", -json_text.LARGEST))
    high = min(bounds.get("maximum", json_text.LARGEST), bounds.get("exclusiveMaximum", json_text.LARGEST))
    excludes_low, excludes_high = bounds.get("exclusiveMinimum") == low, bounds.get("exclusiveMaximum") == high
    if kind == "integer":
        first = math.floor(low) + 1 if excludes_low else math.ceil(low)
        last = math.ceil(high) - 1 if excludes_high else math.floor(high)
        found = json_text.number_between(first, last, is_integer=True)
    else:
        found = json_text.number_between(
            int(low), int(high), is_integer=False, excludes_low=excludes_low, excludes_high=excludes_high
        )
    return found
