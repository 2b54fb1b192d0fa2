"""Compares tokens of byte-pair models with the package `sentencepiece`.

The inputs are thousands of lines in many scripts, lines of random characters, and invalid UTF-8.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from sentencepiece import SentencePieceProcessor

from text.generate.bpe import read_file
from text.testing_lines import broken_lines, differences, mixed_lines, tokens_of
from text.testing_unigram import BYTE_PAIR_MODELS

_FOLDER = os.environ["TOKENIZERS"]


@pytest.mark.parametrize("family", BYTE_PAIR_MODELS)
def test_byte_pair_tokens_match_sentencepiece(family: str) -> None:
    reference = SentencePieceProcessor(model_file=f"{_FOLDER}/{family}.model")
    texts = [*(text.encode() for text in mixed_lines()), *broken_lines()]
    found = tokens_of(f"{_FOLDER}/{family}_tokens", texts)
    assert not differences(texts, found, [reference.encode(text) for text in texts])


@pytest.mark.parametrize("family", ["llama2_model", "gemma_model"])
def test_pieces_of_byte_pair_models_join_to_the_text(family: str) -> None:
    tokens = read_file(Path(_FOLDER) / f"{family}.model").tokens
    prefix = "" if family == "gemma_model" else " "
    texts = [text.replace("\u2581", "") for text in mixed_lines()]
    found = tokens_of(f"{_FOLDER}/{family}_tokens", [text.encode() for text in texts])
    joined = [b"".join(tokens[token] for token in row).decode() for row in found]
    assert joined == [prefix + text if text else "" for text in texts]


@pytest.mark.parametrize("family", BYTE_PAIR_MODELS)
def test_a_megabyte_of_byte_pairs_takes_linear_time(family: str) -> None:
    """Test with generous limits: quadratic time would take hours."""
    for text in ("y" * 1_000_000, " " * 1_000_000, "<tab" * 250_000, "the " * 250_000, "\ufdfa" * 100_000):
        start = time.monotonic()
        (found,) = tokens_of(f"{_FOLDER}/{family}_tokens", [text.encode()])
        assert time.monotonic() - start < 20
        assert found or text.isspace()
