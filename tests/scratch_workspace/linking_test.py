"""Programs that are no part of a library, and memory that models share: the files of docs/how_to/programs_as_files.md."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.scratch_workspace.scratch import Workspace, new_workspace, repository_root, shown_files

_PROGRAM = repository_root() / "examples/checked_in_program/app/add.pte"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    for path, text in shown_files("docs/how_to/programs_as_files.md"):
        scratch.write(path, text)
    for name in ("add", "sum"):
        shutil.copy(_PROGRAM, scratch.folder / f"app/{name}.pte")
    yield scratch
    scratch.shutdown()


def test_programs_are_read_from_the_runfiles_into_one_memory(workspace: Workspace) -> None:
    result = workspace.run("//app")
    assert result.returncode == 0, result.stdout + result.stderr
    assert [line.rpartition("/")[2] for line in result.stdout.splitlines()] == ["add.pte", "sum.pte"]


def test_the_app_has_no_program_in_it(workspace: Workspace) -> None:
    build = workspace.build("//app")
    assert build.exit_code == 0, build.stderr
    assert _PROGRAM.read_bytes()[64:256] not in (workspace.folder / "bazel-bin/app/app").read_bytes()
