"""Tests a remote cache: a second checkout reuses results without network access.

The test needs nginx, which prepare_servers.py prepares.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.many_machines.network import cut_off
from tests.many_machines.web_cache import web_cache
from tests.outside_workspace.scratch_workspace import Build, Workspace, example_workspace, repository_root


@dataclass(frozen=True)
class Checkouts:
    """Builds in two checkouts; the second one uses the cache and has no network."""

    first: Build
    second: Build
    workspace: Workspace  # of the second checkout
    flags: tuple[str, ...]


@pytest.fixture(scope="module")
def checkouts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkouts]:
    folder = tmp_path_factory.mktemp("many")
    with web_cache(folder / "nginx") as address:
        first = _build_first(folder / "first", address)
    rules = folder / "elsewhere" / "rules"
    shutil.copytree(repository_root(), rules, ignore=shutil.ignore_patterns(".git", "bazel-*", "user.bazelrc"))
    with cut_off() as inside, web_cache(folder / "nginx", inside) as address:
        workspace = example_workspace(folder / "elsewhere" / "workspace", "app_monorepo", rules, inside)
        flags = (f"--remote_cache={address}", "--remote_download_minimal")
        yield Checkouts(first, _timed(workspace, *flags), workspace, flags)
        workspace.shutdown()


def _build_first(folder: Path, address: str) -> Build:
    folder.mkdir()
    workspace = example_workspace(folder / "workspace", "app_monorepo")
    result = _timed(workspace, f"--remote_cache={address}")
    workspace.shutdown()
    return result


def _timed(workspace: Workspace, *flags: str) -> Build:
    start = time.monotonic()
    result = workspace.build(*flags, "//...")
    assert result.exit_code == 0, result.stderr
    print(f"{len(result.mnemonics)} actions ran in {time.monotonic() - start:.0f} s")
    return result


def test_first_checkout_compiles_the_models(checkouts: Checkouts) -> None:
    assert {"ExecutorchLower", "ExecutorchCodegen", "CppCompile", "CppLink"} <= set(checkouts.first.mnemonics)


def test_second_checkout_takes_all_actions_from_the_remote_cache(checkouts: Checkouts) -> None:
    assert checkouts.second.mnemonics == ()


def test_second_checkout_downloads_only_requested_programs(checkouts: Checkouts) -> None:
    assert not (checkouts.workspace.folder / "bazel-bin/app/net.pte").exists()


def test_remotely_cached_app_runs(checkouts: Checkouts) -> None:
    result = checkouts.workspace.test(*checkouts.flags, "//app:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr
