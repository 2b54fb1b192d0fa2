"""Tests that data files are found by their path from the repository's root."""

import sys
from pathlib import Path

import pytest

from exir import data_path
from exir.error import ModelError


def test_file_is_found_under_any_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin" / "app").mkdir(parents=True)
    (tmp_path / "bin" / "app" / "words.txt").write_text("a b")
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "bin")])
    assert data_path("app/words.txt").read_text() == "a b"


def test_undeclared_data_file_is_named() -> None:
    with pytest.raises(
        ModelError, match="file 'app/words.txt' is not an input; add its label to 'data'"
    ):
        data_path("app/words.txt")
