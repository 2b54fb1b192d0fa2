"""Tests that docs/how_to/use_dynamic_inputs.md shows the tested recurrent model."""

from pathlib import Path


def test_dynamic_inputs_page_shows_the_parity_tests_model() -> None:
    page = Path("docs/how_to/use_dynamic_inputs.md").read_text(encoding="utf-8")
    model = Path("tests/feature_models/recurrent.py").read_text(encoding="utf-8")
    shown = page.split("# tests/feature_models/recurrent.py\n", 1)[1].split("```", 1)[0]
    assert shown == model.split("\n\n", 1)[1]
