"""Runs programs for other machines in emulators, and compares the results.

The test needs Debian's cross compilers and emulators, which docs/how_to/cross_compile.md lists.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, example_workspaces


@pytest.fixture(scope="module")
def microcontroller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "cortex_m")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    yield from example_workspaces(tmp_path_factory, "app_monorepo")


@pytest.mark.parametrize("machine", ["cortex_m4", "cortex_m33"])
def test_microcontroller_logits_are_close_to_the_hosts(machine: str, microcontroller: Workspace) -> None:
    result = microcontroller.test(f"--config={machine}", "--test_output=all", "//app:digits_test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "600 of 600 match the host's logits\n" in result.stdout


def test_microcontroller_logits_equal_the_hosts_with_equal_rounding(microcontroller: Workspace) -> None:
    result = microcontroller.test("--config=cortex_m4", "--config=exact", "--test_output=all", "//app:digits_test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "600 of 600 are bit-identical" in result.stdout


def test_cross_compiled_app_follows_pytorch(app: Workspace) -> None:
    result = app.test("--config=linux_arm64", "//...")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("PASSED") == 2


@pytest.mark.parametrize("model", ["digits", "mobilenet"])
def test_cross_compiled_model_follows_pytorch(model: str, app: Workspace) -> None:
    # An emulator takes ten times as long as the test's size allows.
    result = app.test("--config=linux_arm64", "--test_timeout=600", f"@rules_executorch//models:{model}_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr
