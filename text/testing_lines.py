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

_PARTS = (
    *("<sep>", "<sep>!", "<sep", "<unk", "[CLS]", "don", "the", "aa", "x", "``", "''", " ", "  ", "\t", "\r", "\u2581"),
    *("\u2581\u2581x", "\u00a0", "\u200b", "\u00a8", "\ufdfa", "\u00e9", "e\u0301", "a\u0301\u0323", "\u0323\u0301"),
    *("\ufb01\u0301", "\u2460", "\ud55c", "\u1100\u1161\u11a8", "\u1100\uac00\u0301", "\u0130", "\u03a3", "\u01c4"),
    *("\u0915\u094d\u0915\u0301", "\u00a9\u200d\u2615\u0301", "\U0001f1e9\U0001f1ea\U0001f1e9", "\u0600a", "\u0344"),
    *("\ufdfa\u0301", "\u0958", "\u2126", "\u4e2d", "\U0001f469\u200d\U0001f469"),
)
_BYTES = b"ab \xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xed\xff\xef\xbf\xbd"


def lines() -> Iterator[str]:
    """Yield an empty line, then alternately listed words and random characters."""
    draw = random.Random(0)
    yield ""
    for number in range(1, LINES):
        line = _random_words(draw) if number % 2 else _random_characters(draw)
        yield line.replace("\n", " ")


def mixed_lines() -> Iterator[str]:
    """Yield the lines, then lines of texts that need special treatment."""
    draw = random.Random(4)
    yield from lines()
    for _ in range(4000):
        yield "".join(draw.choices(_PARTS, k=draw.randrange(1, 12)))


def broken_lines() -> list[bytes]:
    """Return lines of random bytes, most of which are invalid UTF-8."""
    draw = random.Random(5)
    return [bytes(draw.choices(_BYTES, k=30)) for _ in range(2000)]


def differences(texts: Sequence[object], found: Sequence[object], expected: Sequence[object]) -> Sequence[object]:
    """Return the first texts with different results, and these."""
    return [row for row in zip(texts, found, expected, strict=True) if row[1] != row[2]][:3]


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
