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

from text.testing_lines import broken_lines, differences, mixed_lines, tokens_of
from text.testing_unigram import FAMILIES, MODELS

_FOLDER = os.environ["TOKENIZERS"]


@functools.cache
def _texts() -> list[str]:
    return list(mixed_lines())


def _tokens(family: str, texts: Sequence[bytes]) -> list[list[int]]:
    return tokens_of(f"{_FOLDER}/{family}_tokens", texts)


def _tokenizer(family: str) -> Tokenizer:
    return Tokenizer.from_file(f"{_FOLDER}/{family}.json")


@pytest.mark.parametrize("family", MODELS)
def test_tokens_match_sentencepiece(family: str) -> None:
    reference = SentencePieceProcessor(model_file=f"{_FOLDER}/{family}.model")
    texts = [*(text.encode() for text in _texts()), *broken_lines()]
    different = differences(texts, _tokens(family, texts), [reference.encode(text) for text in texts])
    assert not different


def test_tokens_of_a_gguf_file_match_sentencepiece() -> None:
    reference = SentencePieceProcessor(model_file=f"{_FOLDER}/t5.model")
    texts = [*(text.encode() for text in _texts()), *broken_lines()]
    assert not differences(texts, _tokens("t5_gguf", texts), [reference.encode(text) for text in texts])


@pytest.mark.parametrize("family", FAMILIES)
def test_unigram_tokens_match_the_tokenizers_package(family: str) -> None:
    texts = [*_texts(), *(line.decode(errors="replace") for line in broken_lines())]
    encoded = [*(text.encode() for text in _texts()), *broken_lines()]
    expected = [each.ids for each in _tokenizer(family).encode_batch(texts, add_special_tokens=False)]
    different = differences(texts, _tokens(family, encoded), expected)
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
