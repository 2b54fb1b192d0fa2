"""Compares the checked-in tables with the generators' outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from text.generate import unicode_tables


@pytest.mark.parametrize("name", unicode_tables.NORMALIZATIONS)
def test_unicode_tables_are_up_to_date(name: str) -> None:
    table = Path(__file__).with_name(f"characters_{name}.c")
    assert table.read_text(encoding="utf-8") == unicode_tables.source(name)
