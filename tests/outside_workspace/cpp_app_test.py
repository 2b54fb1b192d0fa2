"""Tests the C++ example app as a separate workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, example_workspaces, repository_root


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "cpp_app")


def test_cpp_app_prints_the_label_of_a_photo(workspace: Workspace) -> None:
    result = workspace.run("//app", str(repository_root() / "models/images/flower.ppm"))
    assert result.returncode == 0, result.stderr
    label = result.stdout.removesuffix("\n")
    assert label and label.isprintable()


def test_cpp_app_names_a_photo_that_cannot_be_read(workspace: Workspace) -> None:
    result = workspace.run("//app", "absent.jpg")
    assert result.returncode == 1
    assert "absent.jpg" in result.stderr


def test_cpp_app_has_at_most_sixty_lines() -> None:
    assert len((repository_root() / "examples/cpp_app/app/app.cc").read_text(encoding="utf-8").splitlines()) <= 60
