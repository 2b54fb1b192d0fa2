"""Tests that all dependencies of //models come from a cache without a network."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.many_machines.network import cut_off
from tests.outside_workspace.scratch_workspace import Build, Workspace, repository_root

_MODELS = ("chat", "classify", "listen", "search")


def _fetch_all(folder: Path, inside: Sequence[str] = ()) -> Build:
    """Fetch all dependencies of the four programs in a new checkout."""
    workspace = Workspace(folder, repository_root(), inside)
    shutil.copytree(repository_root(), workspace.folder, ignore=shutil.ignore_patterns("bazel-*"), dirs_exist_ok=True)
    build = workspace.build("--nobuild", *(f"//models:{name}" for name in _MODELS))
    workspace.shutdown()
    return build


@pytest.fixture(scope="module", autouse=True)
def _filled_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    build = _fetch_all(tmp_path_factory.mktemp("connected") / "workspace")
    assert build.exit_code == 0, build.stderr


def test_offline_build_uses_the_repository_cache(tmp_path: Path) -> None:
    with cut_off() as inside:
        build = _fetch_all(tmp_path / "workspace", inside)
    assert build.exit_code == 0, build.stderr
