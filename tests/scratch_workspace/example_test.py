"""The example workspace works for an outsider, and docs/first_model.md shows its files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest

from tests.scratch_workspace.scratch import Workspace, repository_root

_APP = repository_root() / "examples" / "app_monorepo" / "app"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = Workspace(tmp_path_factory.mktemp("scratch") / "workspace", repository_root())
    shutil.copytree(_APP, scratch.folder / "app")
    yield scratch
    scratch.shutdown()


def test_app_runs(workspace: Workspace) -> None:
    result = workspace.run("//app")
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"\d+\.\d{6} \d+\.\d{6}\n", result.stdout)


def test_model_gives_what_pytorch_gives(workspace: Workspace) -> None:
    result = workspace.test("//app:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", ["net.py", "BUILD.bazel", "app.c"])
def test_guide_shows_the_files_of_the_example(name: str) -> None:
    guide = (repository_root() / "docs" / "first_model.md").read_text(encoding="utf-8")
    shown = dict(_code_blocks(guide))
    assert _without_head((_APP / name).read_text(encoding="utf-8")) == _without_head(shown[name])


def _code_blocks(guide: str) -> list[tuple[str, str]]:
    """File name and text of each block that starts with a comment naming its file."""
    return re.findall(r"```\w+\n[#/* ]*app/([\w.]+)[^\n]*(\n.*?)```", guide, re.DOTALL)


def _without_head(text: str) -> str:
    """Without what a file says of itself first, and without blank lines around."""
    return re.sub(r'\A\s*("""[^\n]*"""|/\*[^\n]*\*/)', "", text).strip()
