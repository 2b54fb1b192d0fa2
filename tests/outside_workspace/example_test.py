"""Tests the first guide, and that README, guide and example app agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, repository_root

_APP = repository_root() / "examples" / "app_monorepo" / "app"


@pytest.mark.parametrize(
    ("guide", "name"),
    [
        ("get_started/first_model.md", "net.py"),
        ("get_started/first_model.md", "BUILD.bazel"),
        ("get_started/first_model.md", "app.c"),
        ("backends/cpu.md", "BUILD.bazel"),
        ("backends/cpu.md", "fast.c"),
    ],
)
def test_first_model_guide_shows_the_examples_files(guide: str, name: str) -> None:
    """Each guide shows a part of BUILD.bazel."""
    shown = dict(_code_blocks((repository_root() / "docs" / guide).read_text(encoding="utf-8")))
    content = _without_head((_APP / name).read_text(encoding="utf-8"))
    if name == "BUILD.bazel":
        assert _without_head(shown[name]) in content
    else:
        assert content == _without_head(shown[name])


@pytest.mark.parametrize("flags", [[], ["--noenable_bzlmod", "--enable_workspace"]], ids=["MODULE.bazel", "WORKSPACE"])
def test_readme_contains_the_first_model_guides_setup(flags: list[str], tmp_path: Path) -> None:
    """A scratch workspace uses the README's MODULE.bazel and WORKSPACE."""
    scratch = Workspace(tmp_path / "workspace", repository_root())
    for name, text in _code_blocks((repository_root() / "docs/get_started/first_model.md").read_text(encoding="utf-8")):
        scratch.write(f"app/{name}", text)
    result = scratch.build("--nobuild", *flags, "//...")
    scratch.shutdown()
    assert result.exit_code == 0, result.stderr


def _code_blocks(guide: str) -> list[tuple[str, str]]:
    """Return the file name and the text of each block whose first line names a file."""
    return re.findall(r"```\w+\n[#/* ]*app/([\w.]+)[^\n]*(\n.*?)```", guide, re.DOTALL)


def _without_head(text: str) -> str:
    """Return a file without its leading comment, and without surrounding blank lines."""
    return re.sub(r'\A\s*("""[^\n]*"""|/\*[^\n]*\*/)', "", text).strip()
