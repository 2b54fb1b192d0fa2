"""Tests that the page of the JavaScript API is up to date."""

from __future__ import annotations

import re
from pathlib import Path

import javascript_reference

_ROOT = Path(__file__).absolute().parents[2]


def test_javascript_reference_is_up_to_date() -> None:
    text = (_ROOT / javascript_reference.PAGE).read_text(encoding="utf-8")
    assert text == javascript_reference.page(_ROOT), "run python3 tools/reference/javascript_reference.py"


def test_every_exported_declaration_is_on_the_page() -> None:
    declarations = javascript_reference.declarations(_ROOT)
    names = re.findall(r"^export (?:declare )?\w+ (\w+)", declarations, re.MULTILINE)
    page = javascript_reference.page(_ROOT)
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == [*names, "Next"]


def test_documented_statuses_are_those_of_the_runtime() -> None:
    declarations = javascript_reference.declarations(_ROOT)
    header = (_ROOT / "runtime/include/executorch/status.h").read_text(encoding="utf-8")
    statuses = re.findall(r"^  X\((\w+), 0x", header, re.MULTILINE)
    (listed,) = re.findall(r"type Status =(.*?);", declarations, re.DOTALL)
    assert re.findall(r'"(\w+)"', listed) == [status for status in statuses if status != "OK"]
