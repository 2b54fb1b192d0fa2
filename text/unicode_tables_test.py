"""Compares the checked-in table with the generator's output."""

from __future__ import annotations

from pathlib import Path

from text.generate.unicode_tables import source


def test_unicode_tables_are_up_to_date() -> None:
    assert Path(__file__).with_name("unicode_tables.c").read_text(encoding="utf-8") == source()
