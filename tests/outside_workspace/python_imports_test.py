"""Tests that `executorch_model` imports the same modules as `py_binary`.

Cases are generated sources, `imports`, and folders with a dot.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace

_LOADS = """\
load("@rules_executorch//rules:defs.bzl", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

executorch_model(name = "net_pte", module = ":net")
"""

_MODEL = """\
import torch


def model():
    return torch.nn.ReLU(), (torch.ones(FOUR),)
"""

_GENERATED = 'genrule(name = "generate", outs = ["{out}"], cmd = "echo FOUR = 4 > $@")\n'

# Registers an operator, which fails if the module is imported under a second name.
_COUNTED = 'import torch\n\ntorch.library.Library("twice", "DEF").define("f(Tensor x) -> Tensor")\nFOUR = 4\n'

# The files of the package `//<folder>` by case.
_FOLDERS = {
    "beside_init": {
        "BUILD.bazel": _LOADS
        + _GENERATED.format(out="generated.py")
        + 'py_library(name = "net", srcs = ["__init__.py", "generated.py", "net.py"])\n',
        "__init__.py": "",
        "net.py": "from beside_init.generated import FOUR\n" + _MODEL,
    },
    "model_beside_init": {
        "BUILD.bazel": _LOADS
        + 'genrule(name = "generate", srcs = ["net.py.in"], outs = ["net.py"], cmd = "cp $< $@")\n'
        + 'py_library(name = "net", srcs = ["__init__.py", "four.py", "net.py"])\n',
        "__init__.py": "",
        "four.py": "FOUR = 4\n",
        "net.py.in": "from .four import FOUR\n" + _MODEL,
    },
    "below_imports": {
        "BUILD.bazel": _LOADS
        + _GENERATED.format(out="src/pkg_a/generated.py")
        + 'py_library(name = "net", srcs = ["src/pkg_a/__init__.py", "src/pkg_a/generated.py", "src/pkg_a/net.py"], imports = ["src"])\n',
        "src/pkg_a/__init__.py": "",
        "src/pkg_a/net.py": "from pkg_a.generated import FOUR\n" + _MODEL,
    },
    "imported_twice": {
        "BUILD.bazel": _LOADS + 'py_library(name = "net", srcs = glob(["src/**/*.py"]), imports = ["src"])\n',
        "src/pkg_b/__init__.py": "",
        "src/pkg_b/counted.py": _COUNTED,
        "src/pkg_b/net.py": "import pkg_b.counted\nfrom .counted import FOUR\n" + _MODEL,
    },
    "third_party/net-1.2": {
        "BUILD.bazel": _LOADS + 'py_library(name = "net", srcs = ["four.py", "net.py"], imports = ["."])\n',
        "four.py": "FOUR = 4\n",
        "net.py": "from four import FOUR\n" + _MODEL,
    },
    "third_party/net-1.3": {
        "BUILD.bazel": _LOADS + 'py_library(name = "net", srcs = ["net.py"])\n',
        "net.py": "FOUR = 4\n" + _MODEL,
    },
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    for folder, files in _FOLDERS.items():
        for path, text in files.items():
            scratch.write(f"{folder}/{path}", text)
    yield scratch
    scratch.shutdown()


@pytest.mark.parametrize("folder", _FOLDERS)
def test_model_with_workspace_imports_compiles(workspace: Workspace, folder: str) -> None:
    build = workspace.build(f"//{folder}:net_pte")
    assert build.exit_code == 0, build.stderr
