"""Compares the checked-in tables with the generators' outputs."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from text.generate import character_kinds, unicode_tables


def test_unicode_tables_are_up_to_date() -> None:
    assert Path(__file__).with_name("unicode_tables.c").read_text(encoding="utf-8") == unicode_tables.source()


def test_character_kinds_table_is_up_to_date() -> None:
    written = Path(__file__).with_name("character_ranges.c").read_text(encoding="utf-8")
    if unicodedata.unidata_version == character_kinds.VERSION:
        assert written == character_kinds.source()
    else:
        assert f"of Unicode {character_kinds.VERSION};" in written


def test_character_kinds_match_the_tokenizers() -> None:
    kinds = {point: kind for first, last, kind in character_kinds.ranges() for point in (first, last)}
    assert kinds[ord("A")] == kinds[ord("z")] == "ET_CHARACTER_LETTER"
    assert kinds[ord("0")] == kinds[ord("9")] == "ET_CHARACTER_NUMBER"
    assert {kinds[point] for point in (0x09, 0x0D, 0x20, 0x85, 0xA0, 0x3000)} == {"ET_CHARACTER_SPACE"}
