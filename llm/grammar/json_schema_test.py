"""Tests of the texts of JSON schemas, and of errors in schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm.grammar.compile import GrammarError, compile_schema, compile_schema_text
from llm.grammar.testing_matcher import accepts

_CASES: dict[str, tuple[Any, list[str], list[str]]] = {
    "any value": (
        {},
        ['{"a": [1, -2.5e+3, "\\u00e9\\n", null], "b": {}}', "true", "[\n  1,\n  2\n]", '""'],
        ["", "{", "[1,]", "01", '"\n"', '"\\ud800"', "[1 ,2]", "  1", "nul", "1.", '{"a" :1}'],
    ),
    "required and optional properties": (
        {
            "properties": {name: {"type": "integer"} for name in "abcd"},
            "required": ["b", "d"],
            "additionalProperties": False,
        },
        ['{"b":1,"d":2}', '{"a": 1, "b": 2, "c": 3, "d": 4}', '{ "b": 1, "c": 2, "d": 3 }'],
        ["{}", '{"b":1}', '{"d":1,"b":2}', '{"a":1,"d":2}', '{"b":1,"d":2,"e":3}', '{,"b":1,"d":2}', '{"b":1"d":2}'],
    ),
    "optional properties": (
        {"type": "object", "properties": {name: {"type": "null"} for name in "abc"}},
        ["{}", "{ }", '{"a":null}', '{"b":null}', '{"c":null}', '{"a":null,"c":null}', '{"a":null,"b":null,"c":null}'],
        ['{"c":null,"a":null}', '{"a":null,}', '{"a":null"b":null}', '{"a":1}'],
    ),
    "additional properties": (
        {
            "properties": {"ab": {"type": "null"}, "": True},
            "additionalProperties": {"type": "integer"},
            "maxProperties": 4,
        },
        ['{"ab":null,"":[],"a":1,"abc":2}', '{"a":1,"b":2}', "{}", '{"":1,"é":1}', '{"b":1}'],
        ['{"ab":1}', '{"a":1,"b":2,"c":3}', '{"\\u0061b":1}', '{"a":null}', '{"a":1,"ab":null}'],
    ),
    "names of additional properties": (
        {
            "type": "object",
            "propertyNames": {"maxLength": 2},
            "properties": {"xy": {"const": 1}},
            "additionalProperties": True,
        },
        ['{"xy": 1, "x": 2}', '{"xz":{}}', '{"éé":0}', '{"":0}'],
        ['{"xyz":1}', '{"abc":1}', '{"xy":2}'],
    ),
    "required property without a schema": (
        {"type": "object", "required": ["a"], "additionalProperties": {"type": "boolean"}},
        ['{"a":true}', '{"a":false,"b":true}'],
        ["{}", '{"b":true}', '{"a":1}', '{"a":true,"a":false}'],
    ),
    "array": (
        {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
        ["[true]", "[ true, false,true ]"],
        ["[]", "[true,true,true,true]", "[1]", "[true true]"],
    ),
    "long array": (
        {"type": "array", "items": {"const": 7}, "minItems": 100, "maxItems": 200},
        ["[" + ",".join("7" * count) + "]" for count in (100, 101, 200)],
        ["[" + ",".join("7" * count) + "]" for count in (1, 99, 201)],
    ),
    "tuple": (
        {
            "prefixItems": [{"const": 1}, {"const": 2}, {"const": 3}],
            "items": {"const": 4},
            "minItems": 2,
            "maxItems": 5,
        },
        ["[1,2]", "[1,2,3]", "[1,2,3,4,4]"],
        ["[]", "[1]", "[1,3]", "[1,2,3,4,4,4]", "[1,2,4]"],
    ),
    "tuple without other items": (
        {"prefixItems": [{"const": 1}, {"const": 2}], "items": False, "maxItems": 9},
        ["[]", "[1]", "[1,2]"],
        ["[1,2,3]", "[2]"],
    ),
    "lengths count characters": (
        {"type": "string", "minLength": 2, "maxLength": 3},
        ['"ab"', '"日本語"', '"\\n\\u00e9"', '"😀😀😀"'],
        ['"a"', '"abcd"', '"日本語文"', '"\\u00e9"'],
    ),
    "constants": (
        {"enum": ['say "é"\n', 1.5, None, {"a": [True]}]},
        ['"say \\"é\\"\\n"', "1.5", "null", '{"a": [true]}'],
        ["true", '"say"', "1"],
    ),
    "constants of a type": (
        {"type": ["integer", "null"], "enum": [1, 2.0, "1", None, True]},
        ["1", "2.0", "null"],
        ["true", '"1"'],
    ),
    "alternatives": (
        {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}, {"allOf": [{"const": 3}]}]},
        ['"a"', "null", "3"],
        ['"ab"', "4"],
    ),
    "exclusive alternatives": (
        {
            "oneOf": [
                {"properties": {"kind": {"const": 1}, "a": {"type": "null"}}, "required": ["kind"], "type": "object"},
                {"properties": {"kind": {"enum": [2, 3]}}, "required": ["kind"], "type": "object"},
                {"type": "array", "items": {"type": "null"}},
            ]
        },
        ['{"kind":1,"a":null}', '{"kind":3}', "[null]"],
        ['{"kind":2,"a":null}', '{"kind":4}', "null"],
    ),
    "pattern": (
        {"type": "string", "pattern": r"^[A-Z]\w{2,3}(-\d+)?$|^\.\s\"$"},
        ['"Abc"', '"X_1y-007"', '". \\""', '".\\t\\""'],
        ['"abc"', '"Ab"', '"Abcdef"', '"Ab\u00e9"', '"Abc-"', '"Abc-٣"', '""', '". "'],
    ),
    "pattern without anchors": (
        {"pattern": "b[^\\d,]c|^x"},
        ['"b-c"', '"aabéc\\n"', '"xyz"', '"日本b b c"'],
        ['"b1c"', '"b,c"', '"ax"', '"bc"', '"b\u0663c"'],
    ),
    "pattern with control characters": (
        {"pattern": "^[\\n\\\\/].\\D$"},
        ['"\\n\\\\a"', '"\\\\\\ta"', '"/日é"'],
        ['"\\n\\n1"', '"\\n\\na"', '"n.a"'],
    ),
    "date and time": (
        {"type": "string", "format": "date-time"},
        ['"2024-02-28T23:59:59Z"', '"1999-12-31T00:00:00.25+05:30"'],
        ['"2024-02-30T00:00:00Z"', '"2024-13-01T00:00:00Z"', '"2024-01-01T24:00:00Z"', '"2024-01-01"'],
    ),
    "other formats": (
        {"anyOf": [{"type": "string", "format": name} for name in ("uuid", "ipv4", "date", "time")]},
        ['"123e4567-e89b-12d3-a456-426614174000"', '"255.0.10.199"', '"2024-06-30"', '"12:30:00Z"'],
        ['"256.0.0.1"', '"1.2.3"', '"2024-06-31"', '"123e4567"', '"12:30Z"'],
    ),
    "recursion": (
        {
            "$ref": "#/$defs/a~1b",
            "$defs": {"a/b": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/a~1b"}, {"type": "boolean"}]}}},
        },
        ["[]", "[[[[true]],[]],false]", "[" * 300 + "]" * 300],
        ["[[]", "true", "[null]"],
    ),
    "recursion of the root": (
        {"properties": {"next": {"$ref": "#"}}, "additionalProperties": False, "type": "object"},
        ["{}", '{"next":{"next":{}}}'],
        ['{"next":null}'],
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_schema_has_the_texts(name: str) -> None:
    schema, accepted, rejected = _CASES[name]
    grammar = compile_schema(schema)
    assert [text for text in accepted if not accepts(grammar, text)] == []
    assert [text for text in rejected if accepts(grammar, text)] == []
    assert all(json.loads(text) is not ... for text in accepted)


@pytest.mark.parametrize(
    ("low", "high"),
    [(0, 0), (0, 9), (-3, 5), (7, 1234), (98, 101), (-120, -7), (-1, 0), (995, 2010), (None, 5), (-5, None)],
)
def test_integers_are_within_their_bounds(low: int | None, high: int | None) -> None:
    schema: dict[str, Any] = {"type": "integer"}
    schema |= {} if low is None else {"minimum": low}
    schema |= {} if high is None else {"exclusiveMaximum": high + 0.5}
    grammar = compile_schema(schema)
    limits = (-(10**15) + 1 if low is None else low, 10**15 - 1 if high is None else high)
    values = {*range(-130, 130), *range(990, 1010), *range(1999, 2020)}
    for value in values | {limit + change for limit in limits for change in (-1, 0, 1)}:
        assert accepts(grammar, str(value)) is (limits[0] <= value <= limits[1]), value
    assert not accepts(grammar, f"{limits[0]}.5") and not accepts(grammar, "07")


@pytest.mark.parametrize(
    ("bounds", "accepted", "rejected"),
    [
        ({"minimum": 0}, ["0", "0.0", "12.25", "999999999999999"], ["-1", "-0.5", "1e5", "1."]),
        ({"exclusiveMinimum": 0, "maximum": 2}, ["0.01", "1", "1.0", "2", "1.999"], ["0", "0.0", "2.1", "-1", "2.0"]),
        ({"minimum": -2, "exclusiveMaximum": 0}, ["-2", "-1.5", "-0.5", "-1"], ["0", "-0", "-0.0", "-2.5", "1"]),
        ({"minimum": -1, "maximum": 1}, ["-1", "-0.25", "0", "0.5", "1"], ["-1.5", "1.5", "2"]),
        ({"exclusiveMinimum": -1, "exclusiveMaximum": 1}, ["-0.9", "0", "0.9"], ["-1", "1", "1.0", "-1.0"]),
    ],
)
def test_numbers_are_within_their_bounds(bounds: dict[str, int], accepted: list[str], rejected: list[str]) -> None:
    grammar = compile_schema({"type": "number", **bounds})
    assert [text for text in accepted if not accepts(grammar, text)] == []
    assert [text for text in rejected if accepts(grammar, text)] == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"properties": {"a/b": {"format": "email"}}}, "#/properties/a~1b/format: must be one of date, time,"),
        ({"pattern": "a", "maxLength": 3}, "#/pattern: is not supported beside 'maxLength'"),
        ({"pattern": "(?=a)b"}, "#/pattern: '(?=a)b' is not supported"),
        ({"pattern": "a(^b)"}, "#/pattern: 'a(^b)' is not supported"),
        ({"pattern": "a($b)"}, "#/pattern: 'a($b)' is not supported: an anchor, a lookahead or a"),
        ({"pattern": "a++b"}, "#/pattern: 'a++b' is not supported: an anchor, a lookahead or a possessive"),
        ({"pattern": "[\\D]"}, "'\\\\D' in brackets"),
        ({"pattern": "(a"}, "a group without ')'"),
        ({"pattern": "[a"}, "is not supported: it ends too early"),
        ({"pattern": "a\\"}, "is not supported"),
        ({"pattern": 3}, "#/pattern: must be a string"),
        ({"type": "array", "items": {"not": {}}}, "#/items/not: is not supported"),
        ({"type": "string", "minimum": 3}, "#/minimum: has no effect on the type 'string'"),
        ({"type": "text"}, "#/type: must be one of object, array"),
        ({"$ref": "other.json"}, '#/$ref: "other.json" is not in this schema'),
        ({"items": {"$ref": "#/$defs/x"}}, "#/items/$ref: '#/$defs/x' does not exist; the schema has no '$defs' there"),
        ({"$ref": "#"}, "the rule 'root' matches no text"),
        ({"anyOf": [{"type": "null"}, {"$ref": "#"}]}, "left recursion"),
        ({"anyOf": [], "title": "x"}, "#/anyOf: must be a list that is not empty"),
        ({"anyOf": [{}], "type": "object"}, "#/type: is not supported beside 'anyOf'"),
        ({"allOf": [{}, {}]}, "#/allOf: is supported only with one schema"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "#/oneOf: a value may match both [0] and [1]"),
        ({"oneOf": [{"type": "object"}, {"type": "object"}]}, "#/oneOf: a value may match both"),
        ({"type": "string", "maxLength": -1}, "#/maxLength: must be an integer from 0 to 60000"),
        ({"type": "string", "maxLength": True}, "#/maxLength: must be an integer"),
        ({"type": "array", "minItems": 3, "maxItems": 2}, "#/minItems: is 3, more than maxItems, which is 2"),
        ({"type": "array", "uniqueItems": True}, "#/uniqueItems: is not supported"),
        ({"type": "array", "items": [{}]}, "#/items: must be a schema; use prefixItems"),
        ({"type": "number", "minimum": 0.5}, "#/minimum: must be an integer"),
        ({"type": "integer", "minimum": 1e20}, "#/minimum: must be a number of at most 15 digits"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "the rule 'root' matches no text"),
        ({"properties": {"a": {}, "b": {}}, "maxProperties": 1}, "#/maxProperties: is less than the 2 properties"),
        ({"type": "object", "required": "a"}, "#/required: must be a list of names"),
        ({"enum": [float("inf")]}, "#: has a number that is not finite"),
        ({"const": "\ud800"}, "half of a surrogate pair"),
        ([], "#: a schema must be an object or a boolean"),
        (False, "the rule 'root' matches no text"),
    ],
)
def test_unsupported_schema_is_named(schema: Any, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        compile_schema(schema)
    assert message in str(caught.value)


def test_damaged_schemas_are_errors() -> None:
    for text in ("{", "[" * 100000, '{"type": }', ""):
        with pytest.raises(GrammarError, match="#: not valid JSON"):
            compile_schema_text(text)
    deep: Any = {"type": "null"}
    for _ in range(300):
        deep = {"type": "array", "items": deep}
    with pytest.raises(GrammarError, match="nested too deeply"):
        compile_schema(deep)
