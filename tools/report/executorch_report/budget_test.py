"""Tests of budgets: growth is reported, and an update accepts it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from executorch_report.budget import growth, main, text_bytes
from exir import to_edge


def _lower(path: Path, layers: int) -> Path:
    """Compile a perceptron with `layers` layers of width 16."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(torch.nn.Linear(16, 16) for _ in range(layers)))
    to_edge(torch.export.export(model, (torch.randn(1, 16),))).to_executorch().save(str(path))
    return path


def _main(pte: Path, budget: Path, *more: str) -> int:
    return main(["--target=//net:budget", f"--pte={pte}", *(more or (f"--budget={budget}",))])


def test_additional_layer_exceeds_the_budget_until_updated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pte, budget = _lower(tmp_path / "net.pte", 2), tmp_path / "net.budget.json"
    assert _main(pte, budget, f"--update={budget}") == 0
    assert json.loads(budget.read_text())["forward: calls of aten::addmm.out"] == 2
    assert _main(pte, budget) == 0
    _lower(pte, 3)
    capsys.readouterr()
    assert _main(pte, budget) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"//net:budget: exceeds {budget}:"
    rows = {line[2:].split("  ")[0]: line.split()[-4:] for line in lines[3:-2]}
    assert rows["forward: instructions"] == ["2", "3", "+1", "50.0%"]
    assert rows["forward: calls of aten::addmm.out"] == ["2", "3", "+1", "50.0%"]
    assert rows["program bytes"][2].startswith("+1,")
    assert lines[-1] == "to accept the new costs: bazel run //net:budget.update"
    assert _main(pte, budget, f"--update={budget}") == 0
    assert _main(pte, budget) == 0


def test_smaller_size_passes_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pte, budget = _lower(tmp_path / "net.pte", 2), tmp_path / "net.budget.json"
    assert _main(pte, budget, f"--update={budget}") == 0
    _lower(pte, 1)
    capsys.readouterr()
    assert _main(pte, budget) == 0
    assert "forward: instructions" in capsys.readouterr().out


def test_size_missing_from_the_budget_fails() -> None:
    assert growth({"a": 1}, {"a": 1, "b": 2}, 0) == [("b", 0, 2)]


def test_only_code_size_has_slack() -> None:
    budget = {"code bytes": 1000, "program bytes": 1000}
    assert growth(budget, {"code bytes": 1100, "program bytes": 1001}, 10) == [("program bytes", 1000, 1001)]
    assert growth(budget, {"code bytes": 1101, "program bytes": 1000}, 10) == [("code bytes", 1000, 1101)]


def test_code_size_is_the_programs_text_section() -> None:
    program = Path(sys.executable).resolve()
    if shutil.which("size") is None:
        pytest.fail("binutils' size is needed, as it is to link programs")
    listing = subprocess.run(["size", "-A", str(program)], capture_output=True, text=True, check=True).stdout
    (expected,) = (int(line.split()[1]) for line in listing.splitlines() if line.startswith(".text "))
    assert text_bytes(program.read_bytes()) == expected


@pytest.mark.parametrize("content", ["[]", "{", None, '{"a": "b"}'])
def test_malformed_budget_is_named(content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    budget = tmp_path / "net.budget.json"
    if content is not None:
        budget.write_text(content)
    assert _main(Path("tests/fixtures/tut02_basic_add.pte"), budget) == 1
    remedy = "to create it again: bazel run //net:budget.update"
    assert capsys.readouterr().err == f"//net:budget: {budget}: not a budget file; {remedy}\n"


def test_missing_budget_explains_how_to_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert _main(Path("tests/fixtures/tut02_basic_add.pte"), Path(), "--missing=net/budget.json") == 1
    remedy = "to create it: bazel run //net:budget.update"
    assert capsys.readouterr().err == f"//net:budget: net/budget.json does not exist; {remedy}\n"


def test_damaged_program_is_named_by_the_budget_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.pte").write_bytes(b"no program")
    assert _main(tmp_path / "net.pte", tmp_path / "net.budget.json") == 1
    assert capsys.readouterr().err.startswith(
        f"//net:budget: {tmp_path / 'net.pte'}: not a valid ExecuTorch program: file"
    )
