"""Tests user-defined Python packages in models and in tests.

They must not conflict with the packages that the compiler uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import (
    COMPILES_A_MODEL,
    Workspace,
    example_workspaces,
    repository_root,
    without_the_verifier,
)

_EXAMPLE = repository_root() / "examples" / "custom_packages"
_GUIDE = repository_root() / "docs" / "how_to" / "python_packages.md"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "custom_packages")


def test_model_imports_a_custom_package(workspace: Workspace) -> None:
    build = workspace.build("//app:net_pte")
    assert build.exit_code == 0, build.stderr
    assert without_the_verifier(build.needed) == COMPILES_A_MODEL


def test_python_test_imports_model_torch_and_compiler(workspace: Workspace) -> None:
    result = workspace.test("//app:net_test")
    assert result.returncode == 0, result.stdout + result.stderr


def test_file_converts_without_a_target(workspace: Workspace) -> None:
    workspace.write("lone.py", "import torch\n\ndef net():\n    return torch.nn.ReLU(), (torch.ones(4),)\n")
    result = workspace.run("@rules_executorch//exir:convert", "lone.py:net", "-o", "lone.pte")
    assert result.returncode == 0, result.stderr
    assert (workspace.folder / "lone.pte").read_bytes()[4:8] == b"ET12"


def test_converted_file_imports_workspace_sources_and_packages(workspace: Workspace) -> None:
    # The rules' repository also has a folder `models`.
    workspace.write("models/layers.py", "import torch\n\nLayer = torch.nn.ReLU\n")
    workspace.write(
        "app/lone.py",
        "import einops\nimport torch\nfrom models.layers import Layer\n\n"
        "def net():\n    return Layer(), (einops.rearrange(torch.ones(2, 2), 'a b -> (a b)'),)\n",
    )
    flag = "--@rules_executorch//exir:packages=//app:net"
    result = workspace.run("@rules_executorch//exir:convert", "app/lone.py:net", "-o", "lone.pte", flags=[flag])
    assert result.returncode == 0, result.stderr
    assert (workspace.folder / "lone.pte").read_bytes()[4:8] == b"ET12"


def test_conflicting_package_version_is_refused(workspace: Workspace) -> None:
    lock = workspace.folder / "requirements.lock"
    text = lock.read_text(encoding="utf-8")
    lock.write_text(text.replace("torch==2.13.0", "torch==2.9.1"), encoding="utf-8")
    build = workspace.build("//app:net_pte")
    lock.write_text(text, encoding="utf-8")
    assert build.exit_code != 0
    assert "torch: 2.9.1, but the rules have 2.13.0+cpu" in build.stderr


@pytest.mark.parametrize("name", ["MODULE.bazel", "WORKSPACE", "app/BUILD.bazel"])
def test_custom_packages_guide_shows_the_examples_code(name: str) -> None:
    shown = re.findall(rf"```python\n# {re.escape(name)}\n(.*?)```", _GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    content = (_EXAMPLE / name).read_text(encoding="utf-8")
    assert shown
    assert all(part in content for part in shown)
