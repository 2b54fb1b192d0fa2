"""Validates random texts of random JSON schemas."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from llm.grammar.compile import GrammarError, compile_schema
from llm.grammar.testing_validator import is_valid
from llm.grammar.testing_walk import Walker

_VALUES = [None, True, 0, 1, -2.5, "", 'a"\\', "é\n", [1, "x"], {"k": False}]
_NAMES = ["a", "ab", "abc", "b", "", "é"]
_PATTERNS = [r"^[a-c]{1,3}$", r"^(x|\d+)\.?$", r"é|^$", r"^[^\w]\\?$", r"b\n"]


def _limits(draw: random.Random, low: str, high: str, largest: int) -> dict[str, Any]:
    first, last = sorted(draw.randint(0, largest) for _ in range(2))
    return {name: value for name, value in ((low, first), (high, last)) if draw.random() < 0.7}


def _schema(draw: random.Random, depth: int) -> Any:
    kinds = ["values", "string", "pattern", "integer", "number", "simple"]
    kind = draw.choice(kinds if depth == 0 else [*kinds, "object", "object", "array", "tuple", "any", "one", "ref"])
    if kind == "values":
        return draw.choice([{"const": draw.choice(_VALUES)}, {"enum": draw.sample(_VALUES, 3)}])
    if kind == "string":
        return {"type": "string", **_limits(draw, "minLength", "maxLength", 12)}
    if kind == "pattern":
        return {"type": "string", "pattern": draw.choice(_PATTERNS)}
    if kind in ("integer", "number"):
        low, high = sorted(draw.randint(-1100, 1100) for _ in range(2))
        bounds = {draw.choice(["minimum", "exclusiveMinimum"]): low, draw.choice(["maximum", "exclusiveMaximum"]): high}
        return {"type": kind, **{name: value for name, value in bounds.items() if draw.random() < 0.8}}
    if kind == "simple":
        return draw.choice([True, {}, {"type": ["null", "boolean"]}, {"type": ["integer", "string", "number"]}])
    if kind == "array":
        return {"type": "array", "items": _schema(draw, depth - 1), **_limits(draw, "minItems", "maxItems", 4)}
    if kind == "tuple":
        first = [_schema(draw, depth - 1) for _ in range(draw.randint(1, 3))]
        found = {"type": "array", "prefixItems": first, **_limits(draw, "minItems", "maxItems", 4)}
        return found | ({"items": _schema(draw, depth - 1)} if draw.random() < 0.5 else {})
    if kind in ("any", "one"):
        return {f"{kind}Of": [_schema(draw, depth - 1) for _ in range(draw.randint(1, 3))]}
    return {"$ref": draw.choice(["#", "#/$defs/x"])} if kind == "ref" else _object(draw, depth)


def _object(draw: random.Random, depth: int) -> dict[str, Any]:
    names = draw.sample(_NAMES, draw.randint(0, 4))
    found: dict[str, Any] = {"type": "object", "properties": {name: _schema(draw, depth - 1) for name in names}}
    found["required"] = [name for name in _NAMES if draw.random() < 0.3]
    if draw.random() < 0.6:
        found["additionalProperties"] = draw.choice([False, True, _schema(draw, depth - 1)])
    if draw.random() < 0.3:
        found["maxProperties"] = draw.randint(2, 6)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_texts_of_random_schemas_are_valid(seed: int) -> None:
    draw = random.Random(seed)
    compiled = texts = 0
    for _ in range(60):
        schema = {"$defs": {"x": _schema(draw, 1)}, "type": "array", "items": _schema(draw, 3), "maxItems": 2}
        try:
            walker = Walker(compile_schema(schema))
        except GrammarError:
            continue
        compiled += 1
        for _ in range(4):
            text = walker.draw(draw, 2000)
            if text is not None:
                texts += 1
                assert is_valid(json.loads(text.decode()), schema, schema), (schema, text)
    assert compiled > 20 and texts > 40
