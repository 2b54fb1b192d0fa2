"""The example of an app works as the workspace that it is, and so does the package that the README shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.scratch_workspace.scratch import Workspace, example_workspace, readme_block


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = example_workspace(tmp_path_factory.mktemp("scratch") / "workspace", "app_monorepo")
    yield scratch
    scratch.shutdown()


@pytest.mark.parametrize("target", ["//app", "//app:fast"])
def test_app_runs(target: str, workspace: Workspace) -> None:
    result = workspace.run(target)
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"\d+\.\d{6} \d+\.\d{6}\n", result.stdout)


def test_models_give_what_pytorch_gives(workspace: Workspace) -> None:
    result = workspace.test("//...")
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(re.findall(r"^//app:\w+_parity_test +PASSED", result.stdout, re.MULTILINE)) == 2


def test_library_of_another_repository_is_made(workspace: Workspace) -> None:
    build = workspace.build("@rules_executorch//models:digits_cc")
    assert build.exit_code == 0, build.stderr


_README_MODEL = """\
import torch

def mobilenet_v2():
    return torch.nn.ReLU(), (torch.ones(4),)
"""


def test_readme_shows_a_package_that_works(workspace: Workspace) -> None:
    workspace.write("readme/BUILD.bazel", readme_block("load("))
    workspace.write("readme/mobilenet.py", _README_MODEL)
    workspace.write("readme/app.c", '#include "readme/mobilenet_cc.h"\n\nint main(void) { return 0; }\n')
    result = workspace.run("//readme:app")
    assert result.returncode == 0, result.stderr
    result = workspace.test("//readme:all")
    assert result.returncode == 0, result.stdout + result.stderr
