"""Tests of comparing two programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from executorch_report.diff import difference, html, main, markdown

_FIXTURES = Path("tests/fixtures")
_PORTABLE, _DELEGATED = _FIXTURES / "dyn_mlp.pte", _FIXTURES / "dyn_mlp_xnn.pte"


def test_diff_reports_costs_in_words() -> None:
    found = difference(_PORTABLE, _DELEGATED)
    costs = {change.what: (change.old, change.new) for change in found.costs}
    assert costs["program bytes"] == (3792, 5008)
    assert costs["forward: operators outside delegates"] == (6, 1)
    assert costs["forward: calls of aten::addmm.out"] == (2, 0)
    assert "forward: calls of aten::native_layer_norm.out" not in costs
    assert "forward delegates to XnnpackBackend, XnnpackBackend instead of no backend" in found.notes


def test_diff_markdown_is_a_table() -> None:
    lines = markdown(difference(_PORTABLE, _DELEGATED)).splitlines()
    assert lines[0] == "### `dyn_mlp.pte` → `dyn_mlp_xnn.pte`"
    assert "| program bytes | 3,792 | 5,008 | +1,216 | +32.1% |" in lines
    assert "| forward: calls of aten::addmm.out | 2 | 0 | -2 | -100.0% |" in lines


def test_signatures_and_methods_are_compared() -> None:
    notes = difference(_FIXTURES / "tut02_basic_add.pte", _FIXTURES / "multi_state_shared.pte").notes
    assert {"method forward was removed", "method get was added", "method set was added"} <= set(notes)
    notes = difference(_FIXTURES / "tut02_basic_add.pte", _PORTABLE).notes
    assert "forward takes (float32[<=32, <=8]) instead of (float32[3, 3], float32[3, 3])" in notes


def test_equal_programs_have_equal_costs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(_PORTABLE), str(_PORTABLE)]) == 0
    assert capsys.readouterr().out == "dyn_mlp.pte and dyn_mlp.pte have equal costs\n"


def test_diff_command_writes_the_requested_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, table = tmp_path / "diff.html", tmp_path / "diff.md"
    assert main([str(_PORTABLE), str(_DELEGATED), "--html", str(page), "--out-markdown", str(table)]) == 0
    assert capsys.readouterr().out == ""
    assert '<td class="number" data-value="-5"><span class="minus">-5</span></td>' in page.read_text()
    assert page.read_text() == html(difference(_PORTABLE, _DELEGATED))
    assert main([str(_PORTABLE), str(_DELEGATED), "--html", str(page)]) == 0
    assert capsys.readouterr().out == ""
    assert main([str(_PORTABLE), str(_DELEGATED), "--markdown"]) == 0
    assert capsys.readouterr().out == table.read_text()


def test_diff_names_damaged_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.pte").write_bytes(b"")
    assert main([str(_PORTABLE), str(tmp_path / "old.pte")]) == 1
    assert capsys.readouterr().err.startswith(f"executorch_diff: {tmp_path}/old.pte: ")


def test_diff_names_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(_PORTABLE), "nowhere.pte"]) == 1
    assert capsys.readouterr().err == "executorch_diff: nowhere.pte: No such file or directory\n"
