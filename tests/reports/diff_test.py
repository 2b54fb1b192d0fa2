"""Tests the rule that compares two programs."""

from __future__ import annotations

import os
from pathlib import Path

_FILES = {Path(path).suffix: Path(path).read_text(encoding="utf-8") for path in os.environ["DIFF"].split()}


def test_diff_target_writes_markdown_and_html() -> None:
    assert _FILES[".md"].startswith("### `net.pte` → `digits.pte`\n")
    assert "<h1>net.pte → digits.pte</h1>" in _FILES[".html"]


def test_diff_target_compares_costs() -> None:
    assert "| forward: calls of aten::convolution.out | 1 | 3 | +2 | +200.0% |" in _FILES[".md"]
    assert '<span class="plus">+2</span>' in _FILES[".html"]
