"""A workspace with an operator, kernels and a backend of its own: stated once, they reach compiler, library and test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.scratch_workspace.scratch import Workspace, repository_root

_FILES = repository_root() / "tests" / "custom_operator"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = Workspace(tmp_path_factory.mktemp("scratch") / "workspace", repository_root())
    for name in ("app", "npu", "ops"):
        shutil.copytree(_FILES / name, scratch.folder / name)
    yield scratch
    scratch.shutdown()


@pytest.mark.parametrize("test", ["net_parity_test", "net_kernels_test", "delegating_parity_test"])
def test_passes(workspace: Workspace, test: str) -> None:
    result = workspace.test(f"//app:{test}")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("given", ["app/offset.txt", "npu/limits.json", "npu/revision.txt"])
def test_edit_of_data_compiles_the_model_anew(workspace: Workspace, given: str) -> None:
    assert workspace.build("//app:delegating_pte").exit_code == 0
    file = workspace.folder / given
    file.write_text(file.read_text() + "\n")
    assert workspace.build("//app:delegating_pte").mnemonics == ("ExecutorchLower",)
