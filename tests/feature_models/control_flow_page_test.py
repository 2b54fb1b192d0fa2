"""Tests that docs/how_to/control_flow.md shows the model of the parity test."""

from pathlib import Path


def test_control_flow_page_shows_the_tested_model() -> None:
    page = Path("docs/how_to/control_flow.md").read_text(encoding="utf-8")
    model = Path("tests/feature_models/control_flow.py").read_text(encoding="utf-8")
    shown = page.split("# tests/feature_models/control_flow.py\n", 1)[1].split("```", 1)[0]
    assert shown == model.split("\n\n", 1)[1]
