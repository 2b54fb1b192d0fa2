"""The example workspace works for an outsider, and docs/first_model.md shows its files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scratch_workspace.scratch import Workspace, repository_root

_APP = repository_root() / "examples" / "app_monorepo" / "app"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = Workspace(tmp_path_factory.mktemp("scratch") / "workspace", repository_root())
    shutil.copytree(_APP, scratch.folder / "app")
    yield scratch
    scratch.shutdown()


@pytest.mark.parametrize("target", ["//app", "//app:fast"])
def test_app_runs(target: str, workspace: Workspace) -> None:
    result = workspace.run(target)
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"\d+\.\d{6} \d+\.\d{6}\n", result.stdout)


@pytest.mark.parametrize("target", ["//app:net_parity_test", "//app:net_fast_parity_test"])
def test_model_gives_what_pytorch_gives(target: str, workspace: Workspace) -> None:
    result = workspace.test(target)
    assert result.returncode == 0, result.stdout + result.stderr


def test_library_of_another_repository_is_made(workspace: Workspace) -> None:
    build = workspace.build("@rules_executorch//models:digits_cc")
    assert build.exit_code == 0, build.stderr


@pytest.mark.parametrize(
    ("guide", "name"),
    [
        ("first_model.md", "net.py"),
        ("first_model.md", "BUILD.bazel"),
        ("first_model.md", "app.c"),
        ("cpu_backend.md", "BUILD.bazel"),
        ("cpu_backend.md", "fast.c"),
    ],
)
def test_guide_shows_the_files_of_the_example(guide: str, name: str) -> None:
    """Of BUILD.bazel each shows its own part."""
    shown = dict(_code_blocks((repository_root() / "docs" / guide).read_text(encoding="utf-8")))
    content = _without_head((_APP / name).read_text(encoding="utf-8"))
    if name == "BUILD.bazel":
        assert _without_head(shown[name]) in content
    else:
        assert content == _without_head(shown[name])


_README_MODEL = """\
import torch

def mobilenet_v2():
    return torch.nn.ReLU(), (torch.ones(4),)
"""


def test_readme_shows_a_package_that_works(workspace: Workspace) -> None:
    workspace.write("readme/BUILD.bazel", _readme_block("load("))
    workspace.write("readme/mobilenet.py", _README_MODEL)
    workspace.write("readme/app.c", '#include "readme/mobilenet_cc.h"\n\nint main(void) { return 0; }\n')
    result = workspace.run("//readme:app")
    assert result.returncode == 0, result.stderr
    result = workspace.test("//readme:all")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("file", ["MODULE.bazel", "WORKSPACE"])
def test_readme_shows_all_that_the_first_guide_needs(file: str, tmp_path: Path) -> None:
    """WORKSPACE is loaded where the Bazel can do without modules."""
    scratch = Workspace(tmp_path / "workspace", repository_root())
    scratch.write(file, _readme_block(f"# {file}").replace("../rules_executorch", str(repository_root())))
    for name, text in _code_blocks((repository_root() / "docs/first_model.md").read_text(encoding="utf-8")):
        scratch.write(f"app/{name}", text)
    flags = ["--noenable_bzlmod", "--enable_workspace"] if file == "WORKSPACE" else []
    result = scratch.build("--nobuild", *flags, "//...")
    scratch.shutdown()
    assert result.exit_code == 0, result.stderr


def _readme_block(beginning: str) -> str:
    """The first of the README's blocks that begins so."""
    readme = (repository_root() / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    return next(block for block in blocks if block.startswith(beginning))


def _code_blocks(guide: str) -> list[tuple[str, str]]:
    """File name and text of each block that starts with a comment naming its file."""
    return re.findall(r"```\w+\n[#/* ]*app/([\w.]+)[^\n]*(\n.*?)```", guide, re.DOTALL)


def _without_head(text: str) -> str:
    """Without what a file says of itself first, and without blank lines around."""
    return re.sub(r'\A\s*("""[^\n]*"""|/\*[^\n]*\*/)', "", text).strip()
