"""Tests of WordPiece tokenizers from a tokenizer.json, and of the errors.

The tokens are compared with the package `tokenizers`.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from tokenizers import Tokenizer

from text.generate.wordpiece_json import NORMALIZATIONS, wordpiece_vocabulary
from text.testing_lines import lines, tokens_of
from text.testing_wordpiece import tokenizer_json

_PARTS = ("naïve", "É", "e\u0301", "İ", "Σ", "中", "한", "[", "word", " ", "\u00a0", "\u200b", "\t", "Ǆ", "\u0344", "ß")


@pytest.mark.parametrize("name", NORMALIZATIONS.values())
def test_wordpiece_tokens_match_the_tokenizers_package(name: str) -> None:
    folder = os.environ["TOKENIZERS"]
    draw = random.Random(9)
    texts = [*lines(), *("".join(draw.choices(_PARTS, k=draw.randrange(1, 12))) for _ in range(4000))]
    reference = Tokenizer.from_file(f"{folder}/{name}_wordpiece.json")
    expected = [each.ids for each in reference.encode_batch(texts, add_special_tokens=False)]
    found = tokens_of(f"{folder}/{name}_wordpiece_tokens", [text.encode() for text in texts])
    different = [row for row in zip(texts, found, expected, strict=True) if row[1] != row[2]][:3]
    assert not different


def _changed(part: str = "", **changes: Any) -> dict[str, Any]:
    """Return a tokenizer.json in which a part, or the whole, is changed."""
    found = tokenizer_json("uncased")
    return found | {part: found[part] | changes} if part else found | changes


_ADDED = {"id": 4, "content": "[MASK]", "special": False}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (_changed("model", type="BPE"), "the model is of kind 'BPE'; use a tokenizer of the kind 'WordPiece'"),
        (_changed("model", continuing_subword_prefix="@@"), "'continuing_subword_prefix' of the model is '@@'"),
        (
            _changed("model", max_input_chars_per_word=50),
            "'max_input_chars_per_word' of the model is 50; supported: 100",
        ),
        (_changed("model", unk_token="<unk>"), "the vocabulary has no '<unk>', its 'unk_token'"),
        (_changed("model", vocab={"[UNK]": 0, "a": 0}), "the ids of tokens are not unique"),
        (_changed(added_tokens=[_ADDED]), "the added token '\\[MASK\\]' is not special"),
        (_changed(pre_tokenizer=None), "the pre-tokenizer None is not supported; supported: 'BertPreTokenizer'"),
        (_changed(normalizer={"type": "NFKC"}), "the normalizer 'NFKC' is not supported; supported: 'BertNormalizer'"),
        (_changed("normalizer", clean_text=False), "BertNormalizer without 'clean_text' is not supported"),
        (_changed(post_processor={"type": "ByteLevel"}), "adds 0 tokens before a text and 0 after it"),
        ({}, "not a valid tokenizer.json: KeyError: 'model'"),
    ],
)
def test_invalid_wordpiece_tokenizer_is_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wordpiece_vocabulary(entries)


def test_special_tokens_of_the_file() -> None:
    vocabulary = wordpiece_vocabulary(_changed(post_processor=None))
    assert (vocabulary.unknown, vocabulary.begin, vocabulary.end) == (1, 2, 3)
    assert vocabulary.hidden == {0, 1, 2, 3, 4}
