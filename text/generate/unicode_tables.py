"""Write text/unicode_tables.c: BERT's normalization of characters as a C table.

    python -m text.generate.unicode_tables > text/unicode_tables.c

Run by hand, with the package `tokenizers` of third_party/python/models.lock. The table has the package's
answer for every code point. It is checked in, so that no build depends on a Unicode version.
text/unicode_tables_test.py compares it with the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tokenizers import normalizers, pre_tokenizers

_NORMALIZER = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
_SPLITTER = pre_tokenizers.BertPreTokenizer()
_SURROGATES = range(0xD800, 0xE000)
_HANGUL = range(0xAC00, 0xD7A4)  # decomposed by a formula, in C
_LINE = 120

_HEAD = """\
/* Made by text/generate/unicode_tables.py; do not edit. */
#include "text/unicode_tables.h"

/* clang-format off */
"""


@dataclass(frozen=True)
class Entry:
    """The normalization of the code points first..last."""

    first: int
    last: int
    kind: str
    value: int

    def __str__(self) -> str:
        return f"{{0x{self.first:x}, 0x{self.last:x}, {self.kind}, {self.value}}},"


class Points:
    """Concatenated results of code points that normalize to several code points."""

    def __init__(self) -> None:
        self.all: list[int] = []

    def place(self, text: str) -> int:
        """Append `text`. Return 8 * start + length."""
        start = len(self.all)
        self.all += map(ord, text)
        return 8 * start + len(text)


def entries(points: Points) -> list[Entry]:
    """Return all code points that normalization changes, in order."""
    merged: list[Entry] = []
    for point in range(0x110000):
        if point in _SURROGATES or point in _HANGUL:
            continue
        entry = _entry(point, points)
        if entry is None:
            continue
        if merged and _continues(merged[-1], entry):
            merged[-1] = Entry(merged[-1].first, point, entry.kind, entry.value)
        else:
            merged.append(entry)
    return merged


def _continues(before: Entry, entry: Entry) -> bool:
    return (before.last + 1, before.kind, before.value) == (entry.first, entry.kind, entry.value)


def _entry(point: int, points: Points) -> Entry | None:
    text = _NORMALIZER.normalize_str(chr(point))
    kind, value = _kind(point, text, points)
    return Entry(point, point, kind, value) if kind else None


def _kind(point: int, text: str, points: Points) -> tuple[str, int]:
    """Return kind and value of an entry. `text` is the normalized character.

    An ideograph is surrounded by spaces in `text`.
    """
    if not text:
        return "ET_TEXT_DROPPED", 0
    if text.isspace():
        return "ET_TEXT_SPACE", 0
    if text.startswith(" "):
        return "ET_TEXT_ALONE", ord(text.strip()) - point
    if len(text) > 1:
        return "ET_TEXT_SEVERAL", points.place(text)
    if len(_SPLITTER.pre_tokenize_str(f"a{text}a")) == 3:
        return "ET_TEXT_ALONE", ord(text) - point
    return ("ET_TEXT_MOVED", ord(text) - point) if ord(text) != point else ("", 0)


def source() -> str:
    """Return the C source."""
    points = Points()
    rows = list(map(str, entries(points)))
    return (
        f"{_HEAD}const et_text_entry et_text_entries[] = {{\n{_wrapped(rows)}}};\n"
        f"const uint32_t et_text_entries_count = {len(rows)};\n\n"
        f"const uint32_t et_text_points[] = {{\n{_wrapped(f'0x{point:x},' for point in points.all)}}};\n"
    )


def _wrapped(words: Iterator[str] | list[str]) -> str:
    text, line = "", ""
    for word in words:
        if line and len(line) + 1 + len(word) > _LINE:
            text, line = f"{text}{line}\n", ""
        line = f"{line} {word}" if line else word
    return f"{text}{line}\n"


if __name__ == "__main__":
    print(source(), end="")
