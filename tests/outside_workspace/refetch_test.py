"""Tests that an edit of a repository rule's tools fetches the repository again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, repository_root

_PARTS = ("BUILD.bazel", "MODULE.bazel", "bazelw", "rules", "third_party", "tools")
_ENVIRONMENT = "@executorch_pip//:identity"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Copy the parts of the rules that fetching needs."""
    scratch = Workspace(tmp_path_factory.mktemp("scratch") / "workspace", repository_root())
    for name in _PARTS:
        _copy_tree(repository_root() / name, scratch.folder / name)
    yield scratch
    scratch.shutdown()


def _copy_tree(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def test_first_fetch_succeeds(workspace: Workspace) -> None:
    build = workspace.build(_ENVIRONMENT)
    assert build.exit_code == 0, build.stderr


@pytest.mark.parametrize("name", ["commands", "install_environment", "user_cache"])
def test_edited_rules_are_refetched(workspace: Workspace, name: str) -> None:
    source = workspace.folder / "rules" / "private" / "repository" / f"{name}.py"
    before = source.read_text(encoding="utf-8")
    source.write_text(f"raise SystemExit('{name} was edited')\n", encoding="utf-8")
    build = workspace.build(_ENVIRONMENT)
    source.write_text(before, encoding="utf-8")
    assert build.exit_code != 0
    assert f"{name} was edited" in build.stderr
    assert workspace.build(_ENVIRONMENT).exit_code == 0
