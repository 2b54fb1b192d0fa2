"""Tests that the tutorial's programs match eager PyTorch, with both package names."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest
import torch
from torch.utils import _pytree as pytree

from exir.cli.reporting.calls import Call
from tests.operators.compiled import run_program
from tests.tutorial import page

ROOT = Path(__file__).resolve().parents[2]
_TITLES = [section.title for section in page.sections()]
_CHECKS = [0, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1]


@cache
def _checked(spelling: str) -> dict[str, list[page.Checked]]:
    """Return the checks of each section; the whole page runs in one process."""
    if spelling == "official":
        sys.path.insert(0, str(ROOT / "compat"))
    return {
        section.title: found
        for section, found in page.run_sections(page.with_official_names if spelling == "official" else str)
    }


def _assert_runs(checked: page.Checked) -> None:
    with torch.no_grad():
        expected = pytree.tree_leaves(checked.model(*checked.inputs))
    assert (
        run_program(checked.program, Call(checked.method, tuple(checked.inputs), tuple(expected)), checked.atol, 1e-5)
        == ""
    )


@pytest.mark.parametrize("spelling", ["exir", "official"])
@pytest.mark.parametrize("title", _TITLES)
def test_tutorial_section_matches_eager(title: str, spelling: str) -> None:
    found = _checked(spelling)[title]
    assert len(found) == _CHECKS[_TITLES.index(title)]
    for checked in found:
        _assert_runs(checked)


def test_every_tutorial_section_has_code() -> None:
    assert len(_TITLES) == len(_CHECKS) == 12
    assert all(section.code for section in page.sections())
    assert "executorch.exir" in page.with_official_names(page.sections()[0].code)


def test_tutorial_programs_are_written(tmp_path: Path) -> None:
    page.main(str(tmp_path))
    assert len(list(tmp_path.glob("*.pte"))) == sum(_CHECKS)
