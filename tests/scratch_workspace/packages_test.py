"""The folder of Python packages lies outside of Bazel's reach: somebody may delete it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scratch_workspace.scratch import Build, Workspace, repository_root

_MODULE = """
tiny = use_repo_rule("@rules_executorch//rules/private/repository:python_environment.bzl", "python_environment")
tiny(name = "tiny", lock = "//:tiny.lock")
"""

_BUILD = 'genrule(name = "use", srcs = ["@tiny//:environment"], outs = ["use.txt"], cmd = "ls $(SRCS) > $@")\n'


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """With an environment of one small package."""
    scratch = Workspace(tmp_path_factory.mktemp("scratch") / "workspace", repository_root())
    module = scratch.folder / "MODULE.bazel"
    module.write_text(module.read_text(encoding="utf-8") + _MODULE, encoding="utf-8")
    lock = (repository_root() / "third_party/python/requirements.lock").read_text(encoding="utf-8")
    scratch.write("tiny.lock", next(line for line in lock.splitlines(keepends=True) if line.startswith("filelock==")))
    scratch.write("BUILD.bazel", _BUILD)
    yield scratch
    scratch.shutdown()


def _build(workspace: Workspace, target: str) -> Build:
    return workspace.build(target, f"--repo_env=XDG_CACHE_HOME={_cache(workspace)}")


def _cache(workspace: Workspace) -> Path:
    return workspace.folder.parent / "cache"


def test_packages_are_installed_once_and_outlive_the_cache_folder(workspace: Workspace) -> None:
    build = _build(workspace, "//:use")
    assert build.exit_code == 0, build.stderr
    assert "installed the packages of tiny.lock in " in build.stderr
    shutil.rmtree(_cache(workspace))
    workspace.write("BUILD.bazel", _BUILD.replace("use", "use_again"))
    build = _build(workspace, "//:use_again")
    assert build.exit_code == 0, build.stderr
    assert "installed" not in build.stderr
