"""Tests an app with its weights file, another program's file, and a damaged one.

The test also compares the app with the page that shows it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from exir._serialize import deserialize_ptd

_FOLDER = Path("tests/feature_models/external_weights")
_WEIGHTS = _FOLDER / "one_row.ptd"


def _run_app(weights: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["APP"], str(weights)], capture_output=True, text=True, check=False)


def test_app_runs_with_external_weights() -> None:
    result = _run_app(_WEIGHTS)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.split()) == 4


def test_equal_weights_of_two_models_share_a_file() -> None:
    assert _WEIGHTS.read_bytes() == (_FOLDER / "four_rows.ptd").read_bytes()
    assert all(entry.key.startswith("sha256:") for entry in deserialize_ptd(_WEIGHTS.read_bytes()))


def test_file_with_other_weights_is_refused() -> None:
    result = _run_app(_FOLDER / "other_weights.ptd")
    assert result.returncode == 1
    assert "external files (.ptd) has the key 'sha256:" in result.stderr


@pytest.mark.parametrize("index", range(4))
def test_each_changed_weight_tensor_is_detected(index: int, tmp_path: Path) -> None:
    data = bytearray(_WEIGHTS.read_bytes())
    tensor = deserialize_ptd(bytes(data))[index]
    data[data.index(bytes(tensor.data))] ^= 1
    damaged = tmp_path / "damaged.ptd"
    damaged.write_bytes(data)
    result = _run_app(damaged)
    assert result.returncode == 1
    assert f"source 'weights': named_data[{index}] does not have the digest of its key '{tensor.key}'" in result.stderr


def test_missing_weights_file_is_refused(tmp_path: Path) -> None:
    result = _run_app(tmp_path / "none.ptd")
    assert result.returncode == 1 and "No such file" in result.stderr


def test_external_weights_page_shows_the_tested_app() -> None:
    page = Path("docs/how_to/external_weights.md").read_text(encoding="utf-8")
    app = (_FOLDER / "app.c").read_text(encoding="utf-8")
    shown = page.split("/* app/app.c */\n", 1)[1].split("```", 1)[0]
    assert shown.replace('"app/', f'"{_FOLDER}/') == app.split("\n", 1)[1]
