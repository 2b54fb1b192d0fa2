"""Tests model packages from a hub such as rules_python's `@pip`.

They are used together with packages from `executorch.packages`.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import (
    COMPILES_A_MODEL,
    Workspace,
    new_example,
    repository_root,
    without_the_verifier,
)

_MODULE = """
hub = use_extension("//:extension.bzl", "hub")
use_repo(hub, "pip")
"""

_EXTENSION = """\
load(":hub.bzl", "hub_repositories")

def _impl(_module_ctx):
    hub_repositories("2.13.0")

hub = module_extension(implementation = _impl)
"""

_WORKSPACE = """
load("//:hub.bzl", "hub_repositories")
hub_repositories("2.13.0")
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_backend", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"], deps = ["@app_pip//einops", "@pip//widgets"])

executorch_model(name = "net_pte", module = ":net")

py_library(name = "partitioner", srcs = ["partitioner.py"], deps = ["@pip//torch"])

executorch_backend(name = "backend", id = "npu", partitioner = ":partitioner")

py_library(name = "plain", srcs = ["plain.py"])

executorch_model(name = "plain_pte", backend = ":backend", module = ":plain")
"""

# The hub's torch, and packages that only it requires, are not inputs.
_MODEL = """\
import importlib.util
import torch, widgets
from einops.layers.torch import Rearrange

assert widgets.factor == 42
assert importlib.util.find_spec("torch_kernels") is None

def model():
    return torch.nn.Sequential(Rearrange("a b -> b a"), torch.nn.ReLU()), (torch.ones(2, 3),)
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_example(tmp_path_factory, "custom_packages")
    for name, text in {"MODULE.bazel": _MODULE, "WORKSPACE": _WORKSPACE}.items():
        scratch.write(name, (scratch.folder / name).read_text(encoding="utf-8") + text)
    shutil.copy(repository_root() / "tests/outside_workspace/hub.bzl", scratch.folder)
    scratch.write("extension.bzl", _EXTENSION)
    scratch.write("native.c", "int seven(void) { return 7; }\n")
    subprocess.run(["gcc", "-shared", "-o", "native.so", "native.c"], cwd=scratch.folder, check=True)
    scratch.write("hubbed/BUILD.bazel", _BUILD)
    scratch.write("hubbed/net.py", _MODEL)
    scratch.write("hubbed/partitioner.py", "BACKEND = None\n")
    scratch.write("hubbed/plain.py", "")
    yield scratch
    scratch.shutdown()


def test_model_imports_code_data_and_libraries_of_a_hub(workspace: Workspace) -> None:
    build = workspace.build("//hubbed:net_pte")
    assert build.exit_code == 0, build.stderr
    assert without_the_verifier(build.needed) == COMPILES_A_MODEL


@pytest.mark.parametrize("target, attribute", [("//hubbed:net_pte", "module"), ("//hubbed:plain_pte", "backend")])
def test_conflicting_torch_in_a_hub_is_refused(workspace: Workspace, target: str, attribute: str) -> None:
    edited = {}
    for name in ("extension.bzl", "WORKSPACE"):
        edited[name] = (workspace.folder / name).read_text(encoding="utf-8")
        workspace.write(name, edited[name].replace("2.13.0", "2.9.1"))
    build = workspace.build(target)
    for name, text in edited.items():
        workspace.write(name, text)
    assert build.exit_code != 0
    assert f"{target}: '{attribute}' depends on package versions that differ" in build.stderr
    assert "pip_torch), but models are compiled with 2.13.0+cpu" in build.stderr
    assert "  torch: 2.9.1 (@" in build.stderr
