"""Tests workspaces with a custom operator, custom kernels and a custom backend.

A workspace declares each of them once, for the compiler, the library and the test.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, example_workspaces, shown_files


@pytest.fixture(scope="module")
def custom_operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "custom_operator")


@pytest.fixture(scope="module")
def custom_backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "custom_backend")


def test_models_with_custom_operators_run(custom_operator: Workspace) -> None:
    """The target `net_kernels_test` checks that the workspace's kernels are called."""
    tests = ("net_parity_test", "net_kernels_test", "by_backend_parity_test")
    result = custom_operator.test(*(f"//app:{test}" for test in tests))
    assert result.returncode == 0, result.stdout + result.stderr


def test_custom_backend_takes_supported_calls(custom_backend: Workspace) -> None:
    result = custom_backend.test("//app:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert custom_backend.build("//app:net_pte").exit_code == 0
    manifest = json.loads((custom_backend.folder / "bazel-bin/app/net.manifest.json").read_text(encoding="utf-8"))
    (method,) = manifest["methods"]
    assert len(method["delegates"]) == 2


def _write_documented_package(workspace: Workspace, page: str, package: str, files: set[str]) -> None:
    """Write the package that a page shows, next to the example's package."""
    shown = shown_files(page)
    assert {path for path, _ in shown} == {f"{package}/{name}" for name in files}
    for path, text in shown:
        workspace.write(path.replace(package, "shown", 1), text.replace(f"import {package}.", "import shown."))


def test_documented_custom_operator_runs(custom_operator: Workspace) -> None:
    files = {"BUILD.bazel", "kernels.toml", "net.py", "operators.py", "operators.toml", "soft_step.c"}
    _write_documented_package(custom_operator, "kernels/README.md", "ops", files)
    result = custom_operator.test("//shown:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr


def test_documented_custom_backend_runs(custom_backend: Workspace) -> None:
    _write_documented_package(
        custom_backend, "docs/how_to/add_a_backend.md", "npu", {"BUILD.bazel", "net.py", "npu.c", "partitioner.py"}
    )
    result = custom_backend.test("//shown:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr
    manifest = json.loads((custom_backend.folder / "bazel-bin/shown/net.manifest.json").read_text(encoding="utf-8"))
    assert [call["id"] for call in manifest["methods"][0]["delegates"]] == ["NpuBackend"]


def _recompiles_after_an_edit(workspace: Workspace, target: str, path: str) -> bool:
    """Return true if an edit that does not change the program causes a recompilation."""
    assert workspace.build(target).exit_code == 0
    file = workspace.folder / path
    file.write_text(file.read_text() + "\n")
    return workspace.build(target).mnemonics == ("ExecutorchLower",)


def test_data_edit_recompiles_the_model(custom_operator: Workspace) -> None:
    assert _recompiles_after_an_edit(custom_operator, "//app:net_pte", "app/offset.txt")


@pytest.mark.parametrize("path", ["npu/limits.json", "npu/lib/npu_limits.py"])
def test_backend_edit_recompiles_the_model(custom_backend: Workspace, path: str) -> None:
    assert _recompiles_after_an_edit(custom_backend, "//app:net_pte", path)
