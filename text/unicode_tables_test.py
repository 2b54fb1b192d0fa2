"""Compares the checked-in tables with the generators' outputs."""

from __future__ import annotations

from pathlib import Path

from text.generate import unicode_tables


def test_unicode_tables_are_up_to_date() -> None:
    assert Path(__file__).with_name("unicode_tables.c").read_text(encoding="utf-8") == unicode_tables.source()
