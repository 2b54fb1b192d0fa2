"""Tests the page of all models below several targets."""

import os
from pathlib import Path


def test_report_aspect_finds_models_in_dependencies() -> None:
    page = Path(os.environ["PAGE"]).read_text(encoding="utf-8")
    assert "<h1>Models under //tests/reports:models</h1>" in page
    assert all(f"<td>{label}</td>" in page for label in ("//models:digits_pte", "//models:mobilenet_pte"))
    assert "<p>2 models, " in page
