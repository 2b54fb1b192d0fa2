"""Generates answers with JSON schemas, and validates all of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from llm.grammar.testing_validator import is_valid

_SCHEMAS = {
    path.name.split(".")[0]: json.loads(path.read_text()) for path in Path("llm/testdata").glob("*.schema.json")
}
_FINISHES = {"stop": 1, "grammar": 6}


def _answers(program: str, count: int, temperature: float) -> Iterator[tuple[str, int, bytes]]:
    """Yield the schema's name, the reason for the end, and the text of each answer."""
    command = [os.environ[program], str(count), str(temperature), "0"]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    while output:
        line, _, rest = output.partition(b"\n")
        name, finish, _, size = line.split()
        yield name.decode(), int(finish), rest[: int(size)]
        output = rest[int(size) + 1 :]


@pytest.mark.parametrize(
    ("program", "count", "temperature"), [("BYTES", 100, 3.0), ("WORDS", 20, 1.0), ("WORDS", 10, 0.0)]
)
def test_all_answers_are_valid(program: str, count: int, temperature: float) -> None:
    answers = list(_answers(program, count, temperature))
    assert Counter(name for name, _, _ in answers) == dict.fromkeys(_SCHEMAS, count)
    for name, finish, text in answers:
        assert finish in _FINISHES.values(), (name, text)
        assert is_valid(json.loads(text.decode()), _SCHEMAS[name], _SCHEMAS[name]), (name, text)
    assert len({text for _, _, text in answers}) > len(answers) // 2


def test_validator_rejects_what_schemas_exclude() -> None:
    rejected = {
        "choices": {"kind": "ticket", "priority": 1, "language": "Deutsch"},
        "dictionary": {"total": True},
        "linked_list": {"value": 1, "next": {"value": 6, "next": None}},
        "measurements": [60],
        "mixed": {},
        "options": {"retries": 1.5},
        "order": {"id": 1, "items": [], "ship_to": {"zip": "12345"}},
        "person": {"name": "", "age": 1},
        "shapes": [{"shape": "circle", "radius": 0}],
        "tuple": ["abcd", 0],
    }
    for name, value in rejected.items():
        assert not is_valid(value, _SCHEMAS[name], _SCHEMAS[name]), name
