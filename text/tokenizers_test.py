"""Compares the tokens of published vocabularies with the package `tokenizers`.

The inputs are thousands of lines in many scripts, and lines of random characters.
"""

from __future__ import annotations

import os
import random

from tokenizers import Tokenizer

from text.testing_lines import LINES, lines, tokens_of


def _reference_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(os.environ["TOKENIZER"])
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def test_tokens_match_the_tokenizers_package() -> None:
    texts = list(lines())
    expected = _reference_tokenizer().encode_batch(texts, add_special_tokens=False)
    found = tokens_of(os.environ["TOKENS"], [line.encode() for line in texts])
    assert len(found) == len(texts) == LINES
    different = [line for line, tokens, their in zip(texts, found, expected, strict=True) if tokens != their.ids]
    assert not different


def test_invalid_utf8_is_replaced_like_python() -> None:
    draw = random.Random(1)
    broken = [bytes(draw.choices([*b"ab \xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xed\xff"], k=30)) for _ in range(1000)]
    expected = _reference_tokenizer().encode_batch(
        [line.decode(errors="replace") for line in broken], add_special_tokens=False
    )
    assert tokens_of(os.environ["TOKENS"], broken) == [their.ids for their in expected]
