"""Provide lines for comparing tokenizers, and run a tokenizer program."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Sequence

LINES = 10_000
WORDS = (
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


def lines() -> Iterator[str]:
    """Yield an empty line, then alternately listed words and random characters."""
    draw = random.Random(0)
    yield ""
    for number in range(1, LINES):
        line = _random_words(draw) if number % 2 else _random_characters(draw)
        yield line.replace("\n", " ")


def _random_words(draw: random.Random) -> str:
    words = draw.choices(WORDS, k=draw.randrange(1, 30))
    cases = draw.choices((str, str.upper, str.lower, str.title), k=len(words))
    return draw.choice((" ", "  ", "\t", "", ", ")).join(case(word) for case, word in zip(cases, words, strict=True))


def _random_characters(draw: random.Random) -> str:
    blocks = draw.choices(_BLOCKS, k=draw.randrange(1, 40))
    return "".join(chr(draw.randrange(*block)) + " " * (draw.random() < 0.2) for block in blocks)


def tokens_of(program: str, texts: Sequence[bytes]) -> list[list[int]]:
    """Return the tokens that the program prints for each line."""
    whole = b"".join(text + b"\n" for text in texts)
    result = subprocess.run([program], input=whole, capture_output=True, check=True)
    return [list(map(int, line.split())) for line in result.stdout.split(b"\n")[:-1]]
