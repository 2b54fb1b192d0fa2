"""Compares the checked-in table with the generator's output."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from text.generate.character_kinds import VERSION, ranges, source


def test_character_kinds_table_is_up_to_date() -> None:
    written = Path(__file__).with_name("character_ranges.c").read_text(encoding="utf-8")
    if unicodedata.unidata_version == VERSION:
        assert written == source()
    else:
        assert f"of Unicode {VERSION};" in written


def test_character_kinds_match_the_tokenizers() -> None:
    kinds = {point: kind for first, last, kind in ranges() for point in (first, last)}
    assert kinds[ord("A")] == kinds[ord("z")] == "ET_CHARACTER_LETTER"
    assert kinds[ord("0")] == kinds[ord("9")] == "ET_CHARACTER_NUMBER"
    assert {kinds[point] for point in (0x09, 0x0D, 0x20, 0x85, 0xA0, 0x3000)} == {"ET_CHARACTER_SPACE"}
