"""Tests clashes of package names, model names, and C and C++ identifiers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root

_FILES = repository_root() / "tests" / "outside_workspace" / "names"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    shutil.copytree(_FILES, scratch.folder, dirs_exist_ok=True)
    yield scratch
    scratch.shutdown()


def test_user_packages_may_share_our_names(workspace: Workspace) -> None:
    result = workspace.test("//same_package_names:model_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr


def test_models_and_vocabularies_of_one_name_link_together(workspace: Workspace) -> None:
    result = workspace.run("//app")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "11 21, 12 22, 1, 2\n4 5, 4 5\n"


def test_header_compiles_for_any_parameter_name(workspace: Workspace) -> None:
    build = workspace.build("//reserved_names/...")
    assert build.exit_code == 0, build.stderr
