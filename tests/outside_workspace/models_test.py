"""Tests one module with several backends and configs.

Configs extend each other, and some allow fallback to kernels.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.outside_workspace.scratch_workspace import COMPILES_A_MODEL, Workspace, new_workspace, shown_files

_HEAD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_config", "executorch_models")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"])
"""

_WRONG = _HEAD + "executorch_models(name = 'all', module = ':net', {arguments})\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Return a workspace with the package that the guide shows."""
    scratch = new_workspace(tmp_path_factory)
    model = _documented_file("net.py")
    scratch.write("app/BUILD.bazel", _documented_file("BUILD.bazel"))
    scratch.write("app/base.toml", _documented_file("base.toml"))
    scratch.write("app/net.py", model)
    scratch.write("wrong/net.py", model)
    build = scratch.build("//app:nets")
    assert build.exit_code == 0, build.stderr
    yield scratch
    scratch.shutdown()


def _documented_file(file: str) -> str:
    """Return the text that the guide shows for a file."""
    return dict(shown_files("docs/how_to/many_variants.md"))[f"app/{file}"]


def _read_manifest(workspace: Workspace, name: str) -> dict[str, Any]:
    return json.loads((workspace.folder / f"bazel-bin/app/{name}.manifest.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "operators", "planned"),
    [
        ("nets_kernels_plain", ["aten::exp.out", "aten::sin.out"], 3),
        ("nets_kernels_borrowed", ["aten::exp.out", "aten::sin.out"], 2),
        ("nets_demo_plain", ["aten::exp.out"], 3),
        ("nets_demo_borrowed", ["aten::exp.out"], 2),
    ],
)
def test_each_matrix_entry_has_its_backend_and_config(
    workspace: Workspace, name: str, operators: list[str], planned: int
) -> None:
    manifest = _read_manifest(workspace, name)
    assert [operator["name"] for operator in manifest["operators"]] == operators
    assert manifest["methods"][0]["memory"]["counts"]["planned_tensors"] == planned


def test_config_edit_recompiles_models_that_extend_it(workspace: Workspace) -> None:
    file = workspace.folder / "app/base.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("64", "256"), encoding="utf-8")
    # A program without delegates has no delegate segment to align, so its bytes do not change and
    # it is not verified again.
    assert sorted(workspace.build("//app:nets").mnemonics) == ["ExecutorchLower", *COMPILES_A_MODEL]


def test_disallowed_fallback_is_a_build_error(workspace: Workspace) -> None:
    source = workspace.folder / "app/net.py"
    model = _documented_file("net.py")
    source.write_text(model.replace("torch.exp(", "torch.cos("), encoding="utf-8")
    build = workspace.build("//app:nets_demo_plain_pte")
    source.write_text(model, encoding="utf-8")
    assert build.exit_code != 0
    assert "error: //app:nets_demo_plain_pte: these operators fall back to kernels" in build.stderr
    assert "    aten::cos.out (app/net.py:6)\n" in build.stderr
    assert "or add these to 'allow_fallback'" in build.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "backends = ['//b:x']",
            "executorch_models(name = 'all'): 'backends' must be a dict whose keys become part of target names, got [\"//b:x\"]",
        ),
        ("backends = {}", "executorch_models(name = 'all'): 'backends' is empty"),
        ("configs = {'a-b': None}", "executorch_models(name = 'all'): 'configs' has the name 'a-b'"),
        ("allow_fallback = {'npu': []}", "'allow_fallback' has 'npu', which is not a key of 'backends'"),
        (
            "configs = {'a_b': None, 'b': None}, backends = {'x': '//b:x', 'x_a': '//b:x'}",
            "two combinations have the name 'all_x_a_b_pte'",
        ),
        ("configs = {'a': {'nonsense': {}}}", "unknown section 'nonsense'"),
    ],
)
def test_invalid_matrix_fails_while_loading(workspace: Workspace, arguments: str, message: str) -> None:
    workspace.write("wrong/BUILD.bazel", _WRONG.format(arguments=arguments))
    build = workspace.build("//wrong:all")
    assert build.exit_code != 0
    assert message in build.stderr


def test_invalid_config_fails_while_loading(workspace: Workspace) -> None:
    workspace.write("wrong/BUILD.bazel", _HEAD + 'executorch_config(name = "c", options = {"edge": []})\n')
    build = workspace.build("//wrong:c")
    assert build.exit_code != 0
    assert "executorch_config(name = 'c'): section 'edge' must be a dict, got []" in build.stderr
