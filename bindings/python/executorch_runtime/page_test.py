"""Runs the example of docs/how_to/use_from_python.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def test_runtime_page_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path("docs/how_to/use_from_python.md").read_text(encoding="utf-8")
    example = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "use_from_python.md", "exec"), {})
    assert capsys.readouterr().out == "forward(float32[1, 4]) -> (float32[1, 2])\n"
