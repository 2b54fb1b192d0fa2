"""Tests models that are compiled with the torch of a WORKSPACE's `pip_parse`.

The WORKSPACE is that of docs/how_to/choose_pytorch.md. The test needs the rules_python of Debian's
Bazel 7. It downloads a CUDA build of torch, and needs 8 GB of disk space.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.outside_workspace.pip_hub import download_tools
from tests.outside_workspace.scratch_workspace import Workspace, readme_block, repository_root

_GUIDE = "docs/how_to/choose_pytorch.md"
_LOCK = "tests/outside_workspace/hub_locks/torch_2_15.lock"

# On the command line, because `bazelw` disables the WORKSPACE if the central registry is not reachable.
_FLAGS = ("--noenable_bzlmod", "--enable_workspace")

# The lock is exact, so the machine's constraints must not apply.
_PIP_PARSE = """\
pip_parse(
    environment = {"PIP_CONSTRAINT": "/dev/null"},
    extra_pip_args = ["--no-cache-dir"],
    isolated = False,
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_model", "executorch_parity_test")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"], deps = ["@pip//torch"])

executorch_model(name = "net_pte", module = ":net")

executorch_parity_test(name = "net_parity_test", model = ":net_pte")
"""

_MODEL = """\
import torch

assert torch.__version__.startswith("2.15.0"), torch.__version__

def model():
    return torch.nn.LSTM(4, 3, num_layers=2), (torch.ones(5, 2, 4),)
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Yield a workspace with the guide's WORKSPACE; delete its packages later."""
    folder = tmp_path_factory.mktemp("scratch")
    scratch = Workspace(folder / "workspace", repository_root())
    (scratch.folder / "MODULE.bazel").unlink()
    scratch.write("pip.lock", (repository_root() / _LOCK).read_text(encoding="utf-8"))
    scratch.write("BUILD.bazel", _BUILD)
    scratch.write("net.py", _MODEL)
    # `pip_parse` needs the tools when Bazel evaluates the WORKSPACE.
    download_tools(scratch, folder / "tools", *_FLAGS)
    readme = (scratch.folder / "WORKSPACE").read_text(encoding="utf-8")
    guide = readme_block("# WORKSPACE", _GUIDE).replace("pip_parse(", _PIP_PARSE, 1)
    scratch.write("WORKSPACE", readme.partition("\nexecutorch_dependencies()")[0] + "\n" + guide)
    yield scratch
    scratch.shutdown()
    shutil.rmtree(scratch.output_base, ignore_errors=True)


def test_workspace_model_uses_the_only_torch(workspace: Workspace) -> None:
    result = workspace.test(*_FLAGS, "--test_output=errors", "//:net_parity_test")
    assert result.returncode == 0, result.stdout + result.stderr
    found = [*workspace.output_base.glob("external/*/site*/torch/__init__.py")]
    assert [path.relative_to(workspace.output_base).parts[1] for path in found] == ["pip_torch"]
