"""Compares Unigram tokens with the packages `tokenizers` and `sentencepiece`.

The inputs are thousands of lines in many scripts, lines of random characters, and invalid UTF-8.
"""

from __future__ import annotations

import functools
import os
import random
import time
from collections.abc import Sequence

import pytest
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer

from text.testing_lines import lines, tokens_of
from text.testing_unigram import FAMILIES, MODELS

_FOLDER = os.environ["TOKENIZERS"]
_PARTS = (
    *("<sep>", "<sep>!", "<sep", "<unk", "[CLS]", "don", "the", "aa", "x", "``", "''", " ", "  ", "\t", "\r", "\u2581"),
    *("\u2581\u2581x", "\u00a0", "\u200b", "\u00a8", "\ufdfa", "\u00e9", "e\u0301", "a\u0301\u0323", "\u0323\u0301"),
    *("\ufb01\u0301", "\u2460", "\ud55c", "\u1100\u1161\u11a8", "\u1100\uac00\u0301", "\u0130", "\u03a3", "\u01c4"),
    *("\u0915\u094d\u0915\u0301", "\u00a9\u200d\u2615\u0301", "\U0001f1e9\U0001f1ea\U0001f1e9", "\u0600a", "\u0344"),
    *("\ufdfa\u0301", "\u0958", "\u2126", "\u4e2d", "\U0001f469\u200d\U0001f469"),
)
_BYTES = b"ab \xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xed\xff\xef\xbf\xbd"


@functools.cache
def _texts() -> list[str]:
    draw = random.Random(4)
    mixed = ["".join(draw.choices(_PARTS, k=draw.randrange(1, 12))) for _ in range(4000)]
    return [*lines(), *mixed]


def _broken_lines() -> list[bytes]:
    draw = random.Random(5)
    return [bytes(draw.choices(_BYTES, k=30)) for _ in range(2000)]


def _tokens(family: str, texts: Sequence[bytes]) -> list[list[int]]:
    return tokens_of(f"{_FOLDER}/{family}_tokens", texts)


def _different(texts: Sequence[object], found: Sequence[object], expected: Sequence[object]) -> Sequence[object]:
    return [row for row in zip(texts, found, expected, strict=True) if row[1] != row[2]][:3]


def _tokenizer(family: str) -> Tokenizer:
    return Tokenizer.from_file(f"{_FOLDER}/{family}.json")


@pytest.mark.parametrize("family", MODELS)
def test_tokens_match_sentencepiece(family: str) -> None:
    reference = SentencePieceProcessor(model_file=f"{_FOLDER}/{family}.model")
    texts = [*(text.encode() for text in _texts()), *_broken_lines()]
    different = _different(texts, _tokens(family, texts), [reference.encode(text) for text in texts])
    assert not different


@pytest.mark.parametrize("family", FAMILIES)
def test_unigram_tokens_match_the_tokenizers_package(family: str) -> None:
    texts = [*_texts(), *(line.decode(errors="replace") for line in _broken_lines())]
    encoded = [*(text.encode() for text in _texts()), *_broken_lines()]
    expected = [each.ids for each in _tokenizer(family).encode_batch(texts, add_special_tokens=False)]
    different = _different(texts, _tokens(family, encoded), expected)
    assert not different


@pytest.mark.parametrize("family", [*MODELS, *FAMILIES])
def test_names_of_special_tokens_in_text_are_text(family: str) -> None:
    names = ("<pad>", "<unk>", "<s>", "</s>", "<extra_id_0>", "<0x41>")
    if family in MODELS:
        processor = SentencePieceProcessor(model_file=f"{_FOLDER}/{family}.model")
        special = {number for number in range(len(processor)) if processor.id_to_piece(number) in names}
        special.discard(processor.unk_id())
    else:
        special = {_tokenizer(family).token_to_id(name) for name in names if name != "<unk>"}
    (found,) = _tokens(family, ["x".join(names).encode()])
    assert found and not special.intersection(found)


@pytest.mark.parametrize("family", ["t5", "bytes", "albert_json", "t5_json"])
def test_a_megabyte_takes_linear_time(family: str) -> None:
    """Test with generous limits: quadratic time would take hours."""
    draw = random.Random(6)
    marks = "".join(draw.choices("\u0301\u0323\u0334\u0345", k=500_000))
    for text in ("y" * 1_000_000, " " * 1_000_000, "<sep" * 250_000, marks):
        start = time.monotonic()
        (found,) = _tokens(family, [text.encode()])
        assert time.monotonic() - start < 20
        assert found or text.isspace() or (family == "albert_json" and text == marks)
