"""Each step of the tutorial, in either spelling, gives a program that computes on the C runtime what eager PyTorch does."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from docs import tutorial
from exir.cli.reporting.calls import Call
from tests.operators.compiled import run

ROOT = Path(__file__).resolve().parents[2]


def _official_spelling() -> ModuleType:
    """The tutorial as a script for the official package says it."""
    sys.path.insert(0, str(ROOT / "compat"))
    source = (ROOT / "docs" / "tutorial.py").read_text()
    module = ModuleType("official_tutorial")
    sys.modules[module.__name__] = module
    # Recipes are this project's own: the official package has no module for them.
    official = re.sub(r"^from exir(?!\.quantize)", "from executorch.exir", source, flags=re.MULTILINE)
    exec(official, module.__dict__)
    return module


def _assert_runs(step: Any) -> None:
    for method, (function, inputs) in step.methods.items():
        with torch.no_grad():
            expected = pytree.tree_leaves(function(*inputs))
        assert run(step.program, Call(method, tuple(inputs), tuple(expected)), step.atol, 1e-5) == ""


@pytest.mark.parametrize("name", tutorial.STEPS)
def test_step_runs_as_eager_does(name: str) -> None:
    torch.manual_seed(0)
    _assert_runs(tutorial.STEPS[name]())


@pytest.mark.parametrize("name", tutorial.STEPS)
def test_step_in_the_official_spelling_runs_as_eager_does(name: str) -> None:
    torch.manual_seed(0)
    _assert_runs(_official_spelling().STEPS[name]())


def test_programs_are_written(tmp_path: Path) -> None:
    tutorial.main(str(tmp_path))
    assert {each.stem for each in tmp_path.iterdir()} == set(tutorial.STEPS)
