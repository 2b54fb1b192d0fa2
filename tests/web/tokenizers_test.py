"""Compares tokenizers in JavaScript with native ones and the package `tokenizers`.

The texts are in many scripts.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders

from text.generate.bpe import read_metadata
from text.generate.template_renderer import renderer
from text.testing_lines import lines, tokens_of
from text.testing_tokenizers import smollm_tokenizer, with_controls

_DRIVER = "tests/web/tokenizer_driver.mjs"
_LONG = ["ship " * 12_000, "a" * 20_000, "中文 " * 8_000, "👩‍👩‍👧" * 2_000, " " * 3_000]


def _call(tokenizer: str, calls: list[list[Any]]) -> list[Any]:
    """Return the results of calls, each with the function's name and arguments."""
    command = ["node", "--preserve-symlinks", "--preserve-symlinks-main", _DRIVER, tokenizer]
    request = "".join(json.dumps(call) + "\n" for call in calls)
    result = subprocess.run(command, input=request, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.split("\n")[:-1]]


@cache
def _texts() -> list[str]:
    """Return lines in many scripts, and long ones."""
    return [text for text in [*lines(), *_LONG] if "\n" not in text]


@cache
def _metadata() -> dict[str, Any]:
    return read_metadata(Path(os.environ["MODEL"]))


def _different(found: list[Any], expected: list[Any]) -> list[tuple[Any, Any]]:
    """Return the first results that differ, found and expected."""
    return [pair for pair in zip(found, expected, strict=True) if pair[0] != pair[1]][:3]


@pytest.mark.parametrize(
    ("tokenizer", "program"),
    [
        ("SearchTokenizer", "TOKENS"),
        ("ChatTokenizer", "BPE_TOKENS"),
        ("AddedTokenizer", "ADDED_TOKENS"),
        ("LlamaTokenizer", "LLAMA_TOKENS"),
    ],
)
def test_web_tokens_match_the_native_tokenizer(tokenizer: str, program: str) -> None:
    options = {"specialTokens": False} if tokenizer == "SearchTokenizer" else {}
    found = _call(tokenizer, [["encode", text, options] for text in _texts()])
    expected = tokens_of(os.environ[program], [text.encode() for text in _texts()])
    assert not _different(found, expected)


def test_web_wordpiece_tokens_match_the_package() -> None:
    reference = Tokenizer.from_file(os.environ["TOKENIZER"])
    reference.no_padding()
    reference.no_truncation()
    expected = [encoding.ids for encoding in reference.encode_batch(_texts())]
    assert not _different(_call("SearchTokenizer", [["encode", text] for text in _texts()]), expected)
    reference.enable_truncation(16)
    expected = [encoding.ids for encoding in reference.encode_batch(_texts())]
    assert not _different(
        _call("SearchTokenizer", [["encode", text, {"maxTokens": 16}] for text in _texts()]), expected
    )


def _random_tokens(count: int) -> list[list[int]]:
    draw = random.Random(4)
    return [[draw.randrange(count) for _ in range(draw.randrange(40))] for _ in range(3000)]


def test_web_wordpiece_text_matches_the_package() -> None:
    reference = Tokenizer.from_file(os.environ["TOKENIZER"])
    begin, end = (reference.token_to_id(name) for name in ("[CLS]", "[SEP]"))
    tokens = _random_tokens(reference.get_vocab_size())
    plain = [[token for token in row if token not in (begin, end)] for row in tokens]
    expected = [reference.decode(row, skip_special_tokens=False) for row in plain]
    assert not _different(_call("SearchTokenizer", [["decode", [begin, *row, end]] for row in plain]), expected)


def _bpe_reference() -> Tokenizer:
    tokenizer = smollm_tokenizer(_metadata())
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def test_web_bpe_text_matches_the_package() -> None:
    tokens = _random_tokens(len(_metadata()["tokenizer.ggml.tokens"]))
    reference = _bpe_reference()
    expected = [reference.decode(row, skip_special_tokens=False) for row in tokens]
    assert not _different(_call("ChatTokenizer", [["decode", row] for row in tokens]), expected)


def test_web_bpe_text_is_that_of_the_tokens() -> None:
    """Test that decoding returns the text, if it has no bytes without a token."""
    texts = [text for text in _texts() if not any(ord(character) >= 0x40000 for character in text)]
    tokens = _call("AddedTokenizer", [["encode", text] for text in texts])
    assert not _different(_call("AddedTokenizer", [["decode", row] for row in tokens]), texts)


def test_web_text_has_no_added_space() -> None:
    texts = ["", "word", " word", "  two  words ", "naïve 👩‍👩‍👧 日本語"]
    tokens = _call("LlamaTokenizer", [["encode", text] for text in texts])
    assert not _different(_call("LlamaTokenizer", [["decode", row] for row in tokens]), texts)


def test_web_chats_match_the_rendered_template() -> None:
    render = renderer(_metadata())
    reference = with_controls(smollm_tokenizer(_metadata()), _metadata())
    draw = random.Random(5)
    contents = [text for text in _texts()[:400] if not any(ord(character) >= 0x40000 for character in text)]
    chats, expected = [], []
    for number in range(200):
        roles = ["system"] * (number % 2) + ["user", "assistant"] * draw.randrange(1, 4) + ["user"] * draw.randrange(2)
        messages = [(role, draw.choice(contents)) for role in roles]
        asks = draw.random() < 0.5
        chats.append(["encodeChat", [{"role": role, "content": text} for role, text in messages], {"answer": asks}])
        expected.append(reference.encode(render(messages, asks), add_special_tokens=False).ids)
    assert not _different(_call("ChatTokenizer", chats), expected)
