"""Tests the folder of Python packages, which Bazel does not track.

It also covers an index that lacks a locked package.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import Build, Workspace, repository_root

_MODULE = """
tiny = use_repo_rule("@rules_executorch//rules/private/repository:python_environment.bzl", "python_environment")
tiny(name = "tiny", lock = "//:tiny.lock")
tiny(name = "other", lock = "//:cpu.lock", other_locks = {"//:tiny.lock": "3.11 linux-x86_64"})
tiny(name = "none", lock = "//:tiny.lock", python_version = "3.12")
"""

_TORCH = f"torch==2.13.0+nowhere --hash=sha256:{'0' * 64}\n"

_BUILD = 'genrule(name = "use", srcs = ["@tiny//:environment"], outs = ["use.txt"], cmd = "ls $(SRCS) > $@")\n'


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Return a workspace whose environment has one small package."""
    scratch = Workspace(tmp_path_factory.mktemp("scratch") / "workspace", repository_root())
    module = scratch.folder / "MODULE.bazel"
    module.write_text(module.read_text(encoding="utf-8") + _MODULE, encoding="utf-8")
    lock = (repository_root() / "third_party/python/requirements.lock").read_text(encoding="utf-8")
    package = next(line for line in lock.splitlines(keepends=True) if line.startswith("filelock=="))
    scratch.write("tiny.lock", f"# To download: 2.9 GB.\n{package}")
    scratch.write("cpu.lock", _TORCH)
    scratch.write("BUILD.bazel", _BUILD)
    yield scratch
    scratch.shutdown()


def _build_target(workspace: Workspace, target: str) -> Build:
    return workspace.build(target, f"--repo_env=XDG_CACHE_HOME={_package_cache(workspace)}")


def _package_cache(workspace: Workspace) -> Path:
    return workspace.folder.parent / "cache"


def test_packages_install_once_and_outlive_the_cache(workspace: Workspace) -> None:
    build = _build_target(workspace, "//:use")
    assert build.exit_code == 0, build.stderr
    assert "installed the packages of tiny.lock in " in build.stderr
    shutil.rmtree(_package_cache(workspace))
    workspace.write("BUILD.bazel", _BUILD.replace("use", "use_again"))
    build = _build_target(workspace, "//:use_again")
    assert build.exit_code == 0, build.stderr
    assert "installed" not in build.stderr


def test_index_without_the_locked_torch_falls_back(workspace: Workspace) -> None:
    build = _build_target(workspace, "@other//:environment")
    assert build.exit_code == 0, build.stderr
    assert (
        "the index does not have the torch of cpu.lock; installing tiny.lock instead: To download: 2.9 GB."
        in build.stderr
    )


def test_unsupported_python_is_reported_with_the_supported_ones(workspace: Workspace) -> None:
    build = workspace.build("@none//:environment", f"--repo_env=EXECUTORCH_PYTHON={sys.executable}")
    assert build.exit_code != 0
    assert "the Python packages need CPython 3.12; specify one with EXECUTORCH_PYTHON." in build.stderr
    assert "is CPython 3.11." in build.stderr
