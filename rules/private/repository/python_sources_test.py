"""Tests that all programs of repository rules are declared, so that edits refetch."""

import re
from pathlib import Path

_HERE = Path(__file__).parent


def test_every_python_source_is_declared() -> None:
    listing = (_HERE / "python_sources.bzl").read_text(encoding="utf-8").split("]")[0]
    present = [path.stem for path in _HERE.glob("*.py") if not path.stem.endswith("_test")]
    assert re.findall(r'"(\w+)"', listing) == sorted(present)
