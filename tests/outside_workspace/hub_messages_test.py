"""Tests error messages of toolchains with the packages of a hub."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root

_MODULE = """
hub = use_extension("//:extension.bzl", "hub")
use_repo(hub, "pip")

executorch = use_extension("@rules_executorch//rules:extensions.bzl", "executorch")
executorch.toolchain(hub = "@pip")
"""

_EXTENSION = """\
load(":hub.bzl", "hub_repositories")

def _impl(_module_ctx):
    hub_repositories("{version}")

hub = module_extension(implementation = _impl)
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_model")
load("@rules_executorch//rules:toolchain.bzl", "executorch_toolchain")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"])

executorch_model(name = "net_pte", module = ":net")

executorch_toolchain(name = "incomplete", libraries = ["@pip//torch"])

executorch_toolchain(name = "empty")
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    with (scratch.folder / "MODULE.bazel").open("a", encoding="utf-8") as file:
        file.write(_MODULE)
    shutil.copy(repository_root() / "tests/outside_workspace/hub.bzl", scratch.folder)
    scratch.write("extension.bzl", _EXTENSION.format(version="2.14.1"))
    scratch.write("native.so", "")
    scratch.write("BUILD.bazel", _BUILD)
    scratch.write("net.py", "")
    yield scratch
    scratch.shutdown()


@pytest.mark.parametrize("version", ["2.10.0+cu128", "2.16.0", "3.0.0"])
def test_unsupported_torch_names_the_range(workspace: Workspace, version: str) -> None:
    workspace.write("extension.bzl", _EXTENSION.format(version=version))
    build = workspace.build("//:net_pte")
    assert build.exit_code != 0
    assert f"//:compiler: unsupported torch: found torch {version}; use torch 2.11 to 2.15" in build.stderr


@pytest.mark.parametrize("version", ["2.11.0", "2.15.0+cpu"])
def test_hub_replaces_the_locked_packages(workspace: Workspace, version: str) -> None:
    """The build stops at the hub's torch, which raises an error when it is imported."""
    workspace.write("extension.bzl", _EXTENSION.format(version=version))
    build = workspace.build("//:net_pte")
    assert build.exit_code != 0
    assert "the second torch" in build.stderr
    assert not list(workspace.output_base.glob("external/*executorch_pip/site"))


def test_missing_packages_are_named(workspace: Workspace) -> None:
    build = workspace.build("//:incomplete")
    assert build.exit_code != 0
    assert "//:incomplete: 'libraries' lacks flatbuffers, numpy; add" in build.stderr


def test_toolchain_without_packages_names_both_attributes(workspace: Workspace) -> None:
    build = workspace.build("//:empty")
    assert build.exit_code != 0
    assert "//:empty: set one of 'site' and 'libraries'" in build.stderr
