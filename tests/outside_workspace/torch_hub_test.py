"""Tests models that are compiled with the torch of rules_python's `pip.parse`.

The files are those of docs/how_to/choose_pytorch.md. The tests need the rules_python of Debian's
Bazel 7. They download two CUDA builds of torch, and need 17 GB of disk space.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.outside_workspace.pip_hub import add_hubs, download_tools
from tests.outside_workspace.scratch_workspace import Workspace, readme_block, repository_root, shown_files

_GUIDE = "docs/how_to/choose_pytorch.md"
_LOCKS = repository_root() / "tests/outside_workspace/hub_locks"
_OLD, _NEW = "2.11.0", "2.15.0"

_TEST_TARGET = """
load("@rules_python//python:py_test.bzl", "py_test")

py_test(
    name = "net_test",
    srcs = ["net_test.py"],
    deps = [
        ":net",
        "@rules_executorch//exir",
    ],
)
"""

_TEST = """\
import torch
from app.net import model
from exir import to_edge

assert torch.__version__.startswith("{version}"), torch.__version__
module, inputs = model()
program = to_edge(torch.export.export(module, inputs)).to_executorch()
assert program.buffer[4:8] == b"ET12"
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the guide's files, and delete its packages afterwards."""
    folder = tmp_path_factory.mktemp("scratch")
    scratch = Workspace(folder / "workspace", repository_root())
    locks = {
        name: (_LOCKS / lock).read_text(encoding="utf-8")
        for name, lock in (("pip", "torch_2_11.lock"), ("next_pip", "torch_2_15.lock"))
    }
    add_hubs(scratch, locks)
    module = scratch.folder / "MODULE.bazel"
    module.write_text(module.read_text(encoding="utf-8") + readme_block("# MODULE.bazel, of", _GUIDE), encoding="utf-8")
    for path, text in shown_files(_GUIDE):
        scratch.write(path, text)
    build = scratch.folder / "app/BUILD.bazel"
    build.write_text(build.read_text(encoding="utf-8") + _TEST_TARGET, encoding="utf-8")
    scratch.write("app/net_test.py", _TEST.format(version=_OLD))
    download_tools(scratch, folder / "tools")
    yield scratch
    scratch.shutdown()
    shutil.rmtree(scratch.output_base, ignore_errors=True)


def _installed_torches(workspace: Workspace) -> list[str]:
    """Return the external repositories that have a torch."""
    external = workspace.output_base / "external"
    found = [*external.glob("*/site-packages/torch/__init__.py"), *external.glob("*/site/torch/__init__.py")]
    return sorted(path.relative_to(external).parts[0].rpartition("~")[2] for path in found)


def test_model_and_tests_use_the_only_torch(workspace: Workspace) -> None:
    """Runs first, because later tests fetch the second hub."""
    result = workspace.test("--test_output=errors", "//app:net_parity_test", "//app:net_test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert _installed_torches(workspace) == ["pip_torch"]


def test_second_toolchain_compiles_with_its_torch(workspace: Workspace) -> None:
    result = workspace.test("//app:net_next_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert _installed_torches(workspace) == ["next_pip_torch", "pip_torch"]


def test_programs_of_two_releases_are_compared(workspace: Workspace) -> None:
    build = workspace.build("//app:net_diff")
    assert build.exit_code == 0, build.stderr
    assert "net.pte" in (workspace.folder / "bazel-bin/app/net_diff.md").read_text(encoding="utf-8")


def test_another_hub_recompiles_with_its_torch(workspace: Workspace) -> None:
    module = workspace.folder / "MODULE.bazel"
    text = module.read_text(encoding="utf-8")
    assert 'hub = "@pip"' in text
    module.write_text(text.replace('hub = "@pip"', 'hub = "@next_pip"'), encoding="utf-8")
    build = workspace.folder / "app/BUILD.bazel"
    build.write_text(build.read_text(encoding="utf-8").replace('"@pip//torch"', '"@next_pip//torch"'), encoding="utf-8")
    workspace.write("app/net_test.py", _TEST.format(version=_NEW))
    result = workspace.test("--test_output=errors", "//app:net_parity_test", "//app:net_test")
    assert result.returncode == 0, result.stdout + result.stderr


def test_unchanged_build_runs_nothing(workspace: Workspace) -> None:
    assert workspace.build("//app:net_pte", "//app:net_next_pte").exit_code == 0
    assert workspace.build("//app:net_pte", "//app:net_next_pte").mnemonics == ()
