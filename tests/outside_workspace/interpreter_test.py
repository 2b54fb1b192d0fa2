"""Tests that the interpreter and its library are inputs of compile actions.

A workspace can select the Python version.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace

_VERSION = """
executorch = use_extension("@rules_executorch//rules:extensions.bzl", "executorch")
executorch.python(version = "{version}")
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"])

executorch_model(name = "net_pte", module = ":net")
"""

_MODEL = """\
import torch, sys, json, ssl

# The whole standard library comes from one repository, and nothing from the machine.
_PLACES = [sys.prefix, json.__file__, ssl.__file__]
assert all("executorch_python" in place for place in _PLACES), _PLACES

def model():
    return torch.nn.ReLU(), (torch.ones(4),)
"""


@pytest.fixture
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    scratch.write("BUILD.bazel", _BUILD)
    scratch.write("net.py", _MODEL)
    yield scratch
    scratch.shutdown()


def test_interpreter_library_is_an_input(workspace: Workspace) -> None:
    build = workspace.build("//:net_pte")
    assert build.exit_code == 0, build.stderr
    names = {path.name for path in workspace.output_base.glob("external/*executorch_python/*")}
    assert {"bin", "lib", "identity"} <= names


def _set_version(workspace: Workspace, version: str) -> None:
    module = workspace.folder / "MODULE.bazel"
    module.write_text(module.read_text(encoding="utf-8") + _VERSION.format(version=version), encoding="utf-8")


def test_python_version_without_a_lock_is_refused(workspace: Workspace) -> None:
    _set_version(workspace, "3.10")
    build = workspace.build("//:net_pte")
    assert build.exit_code != 0
    assert "Python 3.10 is not supported; supported versions: 3.11, 3.12, 3.13, 3.14" in build.stderr


def test_missing_python_version_is_reported(workspace: Workspace) -> None:
    _set_version(workspace, "3.13")
    build = workspace.build("//:net_pte", "--repo_env=EXECUTORCH_PYTHON=/usr/bin/python3.11")
    assert build.exit_code != 0
    assert "need CPython 3.13; specify one with EXECUTORCH_PYTHON. /usr/bin/python3.11 is CPython 3.11." in build.stderr
