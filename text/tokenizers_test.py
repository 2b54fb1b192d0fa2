"""Tokens are those of the package `tokenizers`, on thousands of lines of many scripts and of none."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator

from tokenizers import Tokenizer

_LINES = 10_000
_WORDS = (
    *(
        "the",
        "Weather",
        "is",
        "LOVELY",
        "today",
        "unbelievable",
        "don't",
        "e-mail@example.com",
        "3.14",
        "$9.99",
        "C++",
        "x=y*2",
    ),
    *(
        "naïve",
        "café",
        "Ångström",
        "Straße",
        "ÉCOLE",
        "ﬁne",
        "Ǆ",
        "İstanbul",
        "ΟΔΟΣ",
        "Привет",
        "мир",
        "Ёлка",
        "ελληνικά",
    ),
    *(
        "中文",
        "東京タワー",
        "がぎぐ",
        "한국어",
        "갇",
        "ไทย",
        "हिन्दी",
        "שלום",
        "مرحبا",
        "Việt",
        "o\u0302\u0301",
        "\u210c",
        "Ⅷ",
    ),
    *(
        "😀",
        "👩‍👩‍👧",
        "🇩🇪",
        "☕️",
        "…",
        "—",
        "«»",
        "¿",
        "\u00ad",
        "\u200b",
        "\u3000",
        "\ufeff",
        "\u2028",
        "a\u0000b",
        "\ufffd",
    ),
    *(
        "antidisestablishmentarianism",
        "x" * 100,
        "y" * 101,
        "é" * 60,
        "##able",
        "(brackets)",
        "'''",
        "---",
        "\x7f",
        "\u0085",
    ),
)
_BLOCKS = (
    (0x20, 0x7F),
    (0xA0, 0x600),
    (0x600, 0x1000),
    (0x1000, 0x3000),
    (0x3000, 0xD800),
    (0xE000, 0x10000),
    (0x10000, 0x110000),
)


def _lines() -> Iterator[str]:
    """Half of them words of the list, in any case, half of them characters of any block; the first is empty."""
    draw = random.Random(0)
    yield ""
    for number in range(1, _LINES):
        line = _words(draw) if number % 2 else _characters(draw)
        yield line.replace("\n", " ")


def _words(draw: random.Random) -> str:
    words = draw.choices(_WORDS, k=draw.randrange(1, 30))
    cases = draw.choices((str, str.upper, str.lower, str.title), k=len(words))
    return draw.choice((" ", "  ", "\t", "", ", ")).join(case(word) for case, word in zip(cases, words, strict=True))


def _characters(draw: random.Random) -> str:
    blocks = draw.choices(_BLOCKS, k=draw.randrange(1, 40))
    return "".join(chr(draw.randrange(*block)) + " " * (draw.random() < 0.2) for block in blocks)


def _tokens(lines: list[bytes]) -> list[list[int]]:
    """What the program prints."""
    text = b"".join(line + b"\n" for line in lines)
    result = subprocess.run([os.environ["TOKENS"]], input=text, capture_output=True, check=True)
    return [list(map(int, line.split())) for line in result.stdout.split(b"\n")[:-1]]


def _reference() -> Tokenizer:
    tokenizer = Tokenizer.from_file(os.environ["TOKENIZER"])
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def test_lines_have_the_tokens_of_the_package() -> None:
    lines = list(_lines())
    expected = _reference().encode_batch(lines, add_special_tokens=False)
    found = _tokens([line.encode() for line in lines])
    assert len(found) == len(lines) == _LINES
    different = [line for line, tokens, their in zip(lines, found, expected, strict=True) if tokens != their.ids]
    assert not different


def test_bytes_that_are_no_utf8_count_as_python_replaces_them() -> None:
    draw = random.Random(1)
    lines = [bytes(draw.choices([*b"ab \xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xed\xff"], k=30)) for _ in range(1000)]
    expected = _reference().encode_batch([line.decode(errors="replace") for line in lines], add_special_tokens=False)
    assert _tokens(lines) == [their.ids for their in expected]
