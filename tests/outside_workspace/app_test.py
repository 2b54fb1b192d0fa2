"""Tests the example app as a separate workspace, and the package in the README."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, example_workspaces, readme_block


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "app_monorepo")


@pytest.mark.parametrize("target", ["//app", "//app:fast"])
def test_app_in_an_outside_workspace_runs(target: str, workspace: Workspace) -> None:
    result = workspace.run(target)
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"\d+\.\d{6} \d+\.\d{6}\n", result.stdout)


def test_models_in_an_outside_workspace_follow_pytorch(workspace: Workspace) -> None:
    result = workspace.test("//...")
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(re.findall(r"^//app:\w+_parity_test +PASSED", result.stdout, re.MULTILINE)) == 2


_AS_CXX = """\

load("@rules_cc//cc:cc_library.bzl", "cc_library")

[cc_library(
    name = name + "_cxx" + standard,
    srcs = [name + ".cc"],
    copts = ["-std=c++" + standard, "-Wall", "-Werror"],
    deps = [":net_cc", ":net_fast_cc", "@rules_executorch//backends/cpu/threads"],
) for name in ["app", "fast"] for standard in ["17", "20"]]
"""


def test_generated_headers_compile_as_cxx(workspace: Workspace) -> None:
    for name in ("app", "fast"):
        workspace.write(f"app/{name}.cc", (workspace.folder / f"app/{name}.c").read_text(encoding="utf-8"))
    build_file = workspace.folder / "app/BUILD.bazel"
    text = build_file.read_text(encoding="utf-8")
    workspace.write("app/BUILD.bazel", text + _AS_CXX)
    build = workspace.build(*(f"//app:{name}_cxx{standard}" for name in ("app", "fast") for standard in (17, 20)))
    workspace.write("app/BUILD.bazel", text)
    assert build.exit_code == 0, build.stderr


def test_library_for_another_repositorys_model_builds(workspace: Workspace) -> None:
    build = workspace.build("@rules_executorch//models:digits_cc")
    assert build.exit_code == 0, build.stderr


_GENERATED = """\
load("@rules_executorch//rules:defs.bzl", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

genrule(
    name = "generate",
    srcs = ["net.py.in"],
    outs = ["sub/net.py"],
    cmd = "cp $< $@",
)

py_library(name = "net", srcs = ["sub/net.py"])

executorch_model(name = "net_pte", module = ":net")
"""

_MODEL = """\
import torch

def model():
    return torch.nn.ReLU(), (torch.ones(4),)

mobilenet_v2 = model
"""


def test_model_with_a_generated_source_compiles(workspace: Workspace) -> None:
    workspace.write("generated/BUILD.bazel", _GENERATED)
    workspace.write("generated/net.py.in", _MODEL)
    build = workspace.build("//generated:net_pte")
    assert build.exit_code == 0, build.stderr


def test_readme_shows_the_built_package(workspace: Workspace) -> None:
    workspace.write("readme/BUILD.bazel", readme_block("# BUILD.bazel"))
    workspace.write("readme/mobilenet.py", _MODEL)
    workspace.write("readme/app.c", '#include "readme/mobilenet_cc.h"\n\nint main(void) { return 0; }\n')
    result = workspace.run("//readme:app")
    assert result.returncode == 0, result.stderr
    result = workspace.test("//readme:all")
    assert result.returncode == 0, result.stdout + result.stderr
