"""Compares the tokens of published configurations with the package `tokenizers`.

The inputs are thousands of lines in many scripts, and lines of random characters.
"""

from __future__ import annotations

import os
import random
import unicodedata
from collections.abc import Iterator

import pytest
from tokenizers import Tokenizer

from text.testing_families import FAMILIES
from text.testing_lines import lines, tokens_of

_PARTS = ["<think>", "<think>!", "<think", " ", "  ", "\t", "\r", "12345", "é", "İ", "don't", "DON'T", "aaaa", "\u2581"]


def _lines() -> Iterator[str]:
    draw = random.Random(4)
    for line in lines():
        yield unicodedata.normalize("NFC", line)
    for _ in range(2000):
        yield "".join(draw.choices(_PARTS, k=draw.randrange(1, 12)))


def _reference(family: str) -> Tokenizer:
    folder = os.environ["TOKENIZERS"]
    return Tokenizer.from_file(f"{folder}/{family}.json")


@pytest.mark.parametrize("family", FAMILIES)
def test_tokens_of_families_match_the_package(family: str) -> None:
    texts = list(_lines())
    found = tokens_of(f"{os.environ['TOKENIZERS']}/{family}_tokens", [line.encode() for line in texts])
    expected = [encoding.ids for encoding in _reference(family).encode_batch(texts, add_special_tokens=False)]
    different = [
        (line, tokens, theirs) for line, tokens, theirs in zip(texts, found, expected, strict=True) if tokens != theirs
    ]
    assert not different[:2]


@pytest.mark.parametrize("family", FAMILIES)
def test_names_of_control_tokens_in_text_are_text(family: str) -> None:
    special = [token.content for token in _reference(family).get_added_tokens_decoder().values() if token.special]
    ids = {_reference(family).token_to_id(name) for name in special}
    (found,) = tokens_of(f"{os.environ['TOKENIZERS']}/{family}_tokens", ["x".join(special).encode()])
    assert found and not ids.intersection(found)
