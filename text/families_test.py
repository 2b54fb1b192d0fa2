"""Compares the tokens of published configurations with the package `tokenizers`.

The inputs are thousands of lines in many scripts, and lines of random characters.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator

import pytest
from tokenizers import Tokenizer

from text.testing_families import FAMILIES
from text.testing_lines import lines, tokens_of

_PARTS = [
    "<think>",
    "<think>!",
    "<think",
    " ",
    "  ",
    "\t",
    "\r",
    "12345",
    "é",
    "İ",
    "don't",
    "DON'T",
    "aaaa",
    "\u2581",
    "e\u0301",
    "<think>\u0338",
]


def _lines() -> Iterator[str]:
    draw = random.Random(4)
    yield from lines()
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


@pytest.mark.parametrize("family", ["folded", "olmo", "qwen2"])
def test_normalizers_replace_invalid_utf8(family: str) -> None:
    draw = random.Random(5)
    broken = [
        bytes(draw.choices(b"ab \xc3\xa9\xcc\x81\xf0\x9f\x98\x80\xed\xff", k=30)) + b"e\xcc\x81" for _ in range(1000)
    ]
    expected = _reference(family).encode_batch(
        [line.decode(errors="replace") for line in broken], add_special_tokens=False
    )
    found = tokens_of(f"{os.environ['TOKENIZERS']}/{family}_tokens", broken)
    assert found == [encoding.ids for encoding in expected]


@pytest.mark.parametrize("family", ["folded", "olmo", "qwen2"])
def test_normalizing_a_megabyte_takes_linear_time(family: str) -> None:
    """Test with generous limits: quadratic time would take hours."""
    marks = "".join(random.Random(6).choices("\u0301\u0323\u0334\u0345", k=500_000))
    for text in (marks, "e\u0301" + "<think" * 160_000, "e\u0301" + "  x" * 330_000, "\u1100\u1161\u11a8" * 110_000):
        start = time.monotonic()
        (found,) = tokens_of(f"{os.environ['TOKENIZERS']}/{family}_tokens", [text.encode()])
        assert found and time.monotonic() - start < 20


@pytest.mark.parametrize("family", FAMILIES)
def test_names_of_control_tokens_in_text_are_text(family: str) -> None:
    special = [token.content for token in _reference(family).get_added_tokens_decoder().values() if token.special]
    ids = {_reference(family).token_to_id(name) for name in special}
    (found,) = tokens_of(f"{os.environ['TOKENIZERS']}/{family}_tokens", ["x".join(special).encode()])
    assert found and not ids.intersection(found)
