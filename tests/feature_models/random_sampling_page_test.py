"""Tests that docs/how_to/random_numbers.md shows the tested model and C code."""

from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("file", "mark", "end"), [("random_sampling.py", "# {}\n", "\n\n"), ("random_sampling_app.h", "/* {} */\n", "\n")]
)
def test_random_numbers_page_shows_the_tested_sources(file: str, mark: str, end: str) -> None:
    page = Path("docs/how_to/random_numbers.md").read_text(encoding="utf-8")
    source = Path("tests/feature_models", file).read_text(encoding="utf-8")
    shown = page.split(mark.format(f"tests/feature_models/{file}"), 1)[1].split("```", 1)[0]
    assert shown == source.split(end, 1)[1]
