"""Tests remote execution: Bazel uploads all inputs of compile actions and tests.

The test needs BuildBox, which prepare_servers.py prepares, and Debian's python3-grpcio.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.many_machines.engine import engine
from tests.outside_workspace.scratch_workspace import (
    COMPILES_A_MODEL,
    Build,
    Workspace,
    example_workspace,
    without_the_verifier,
)

_FLAGS = ("--remote_timeout=600", "--jobs=4")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with engine(tmp_path_factory.mktemp("engine")) as address:
        yield address


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = example_workspace(tmp_path_factory.mktemp("scratch") / "workspace", "app_monorepo")
    yield scratch
    scratch.shutdown()


def _build(workspace: Workspace, address: str, *arguments: str) -> Build:
    start = time.monotonic()
    result = workspace.build(f"--remote_executor={address}", *_FLAGS, *arguments)
    print(f"{arguments}: {len(result.mnemonics)} actions in {time.monotonic() - start:.0f} s")
    return result


def test_model_is_compiled_remotely(address: str, workspace: Workspace) -> None:
    """Interpreter, packages and compiler are inputs; the first action uploads them."""
    build = _build(workspace, address, "//app:net_pte")
    assert build.exit_code == 0, build.stderr
    assert (without_the_verifier(build.mnemonics), build.runners) == (COMPILES_A_MODEL, {"remote"})


def test_next_model_uploads_only_new_inputs(address: str, workspace: Workspace) -> None:
    source = workspace.folder / "app" / "net.py"
    source.write_text(source.read_text(encoding="utf-8").replace("Linear(4, 2)", "Linear(4, 3)"), encoding="utf-8")
    build = _build(workspace, address, "//app:net_pte")
    assert build.exit_code == 0, build.stderr
    assert (build.mnemonics, build.runners) == (COMPILES_A_MODEL, {"remote"})


def test_test_runs_remotely(address: str, workspace: Workspace) -> None:
    """The service also compiles the C code of the runtime and the kernels."""
    build = _build(workspace, address, "//app:net_parity_test")
    assert build.exit_code == 0, build.stderr
    assert build.runners == {"remote"}
    result = workspace.test(f"--remote_executor={address}", *_FLAGS, "//app:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr
    assert " remote" in result.stderr  # in the summary of processes
