"""Compares the tokens of published vocabularies with the package `tokenizers`.

The inputs are thousands of lines in many scripts, and lines of random characters.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

from tokenizers import AddedToken, Tokenizer

from text.generate.bpe import read_metadata
from text.testing_added_tokens import ADDED
from text.testing_lines import lines, tokens_of
from text.testing_tokenizers import smollm_tokenizer

# The first byte of these characters has no token in this vocabulary. Like llama.cpp, this tokenizer
# skips such bytes after merging; the package skips them before merging.
_WITHOUT_TOKEN = re.compile("[\U00040000-\U0010ffff]")


def _reference_tokenizer() -> Tokenizer:
    return smollm_tokenizer(read_metadata(Path(os.environ["MODEL"])))


def test_bpe_tokens_match_the_tokenizers_package() -> None:
    texts = [_WITHOUT_TOKEN.sub("", line) for line in lines()]
    expected = _reference_tokenizer().encode_batch(texts, add_special_tokens=False)
    found = tokens_of(os.environ["BPE_TOKENS"], [line.encode() for line in texts])
    different = [line for line, tokens, their in zip(texts, found, expected, strict=True) if tokens != their.ids]
    assert not different


def test_long_words_of_few_letters_merge_like_the_package() -> None:
    draw = random.Random(2)
    texts = ["".join(draw.choices("aehlot", k=2000)) for _ in range(20)] + ["a" * 5000, " " * 3000]
    expected = _reference_tokenizer().encode_batch(texts, add_special_tokens=False)
    assert tokens_of(os.environ["BPE_TOKENS"], [line.encode() for line in texts]) == [
        encoding.ids for encoding in expected
    ]


def test_user_defined_tokens_match_the_package() -> None:
    reference = _reference_tokenizer()
    reference.add_tokens([AddedToken(name, normalized=False) for name in ADDED])
    draw = random.Random(3)
    parts = [*ADDED, "<", "<think", "think>", "word", " ", "  ", "\u00e9", "!", "do", "n't", "12"]
    mixed = ["".join(draw.choices(parts, k=draw.randrange(1, 12))) for _ in range(3000)]
    texts = [text for text in (_WITHOUT_TOKEN.sub("", line) for line in [*lines(), *mixed]) if "\n" not in text]
    expected = [encoding.ids for encoding in reference.encode_batch(texts, add_special_tokens=False)]
    assert tokens_of(os.environ["ADDED_TOKENS"], [line.encode() for line in texts]) == expected
