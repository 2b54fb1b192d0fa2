"""Tests of the page that compares several programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from executorch_report.overview import main

_FIXTURES = Path(__file__).parents[3] / "tests" / "fixtures"
_ADD, _CONV = _FIXTURES / "tut02_basic_add.pte", _FIXTURES / "tut01_simpleconv.pte"


def _page(tmp_path: Path, *models: tuple[str, Path]) -> str:
    page = tmp_path / "models.html"
    named = [word for label, pte in models for word in ("--model", label, str(pte))]
    assert main(["--title", "//app", f"--html={page}", *named]) == 0
    return page.read_text(encoding="utf-8")


def test_overview_lists_each_models_costs_and_operators(tmp_path: Path) -> None:
    page = _page(tmp_path, ("//my:conv_pte", _CONV), ("//my:add_pte", _ADD))
    assert "<h1>Models under //app</h1>" in page
    assert f"<p>2 models, {_ADD.stat().st_size + _CONV.stat().st_size:,} bytes of programs</p>" in page
    assert page.index("//my:add_pte") < page.index("//my:conv_pte")
    assert "<td>aten::convolution.out</td>" in page
    assert f">{_ADD.stat().st_size:,}</td>" in page


def test_overview_lists_an_operators_models(tmp_path: Path) -> None:
    page = _page(tmp_path, ("//my:one_pte", _ADD), ("//my:two_pte", _ADD))
    assert "<td>//my:one_pte, //my:two_pte</td>" in page


def test_overview_page_is_self_contained(tmp_path: Path) -> None:
    page = _page(tmp_path, ("//my:add_pte", _ADD))
    assert "http://" not in page and "https://" not in page and "src=" not in page


def test_file_that_is_not_a_program_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.pte"
    file.write_bytes(b"none")
    assert main(["--title", "//app", f"--html={tmp_path / 'x'}", "--model", "//my:net_pte", str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"//app: //my:net_pte: {file}: ")
