"""Tests a user-defined toolchain whose interpreter needs further files."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace

_MODULE = """
executorch = use_extension("@rules_executorch//rules:extensions.bzl", "executorch")
use_repo(executorch, "executorch_pip")
register_toolchains("//interpreter:toolchain", "//interpreter:codegen_toolchain")
"""

# Like an unpacked interpreter and its library, it does not start without the other file.
_INTERPRETER = """\
#!/bin/sh
exec "$(cat "$(dirname "$0")/lib/program.txt")" "$@"
"""

_TOOLCHAIN = """\
load("@rules_executorch//rules:toolchain.bzl", "executorch_codegen_toolchain", "executorch_toolchain")

executorch_toolchain(
    name = "compiler",
    identity = "@executorch_pip//:identity",
    python = "python.sh",
    python_files = ["lib/program.txt"],
    site = "@executorch_pip//:site",
)

toolchain(
    name = "toolchain",
    toolchain = ":compiler",
    toolchain_type = "@rules_executorch//rules:toolchain_type",
)

executorch_codegen_toolchain(
    name = "codegen",
    identity = "@executorch_pip//:identity",
    python = "python.sh",
    python_files = ["lib/program.txt"],
)

toolchain(
    name = "codegen_toolchain",
    toolchain = ":codegen",
    toolchain_type = "@rules_executorch//rules:codegen_toolchain_type",
)
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_cc_library", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"])

executorch_model(name = "net_pte", module = ":net")

executorch_cc_library(name = "net_cc", model = ":net_pte")
"""

_MODEL = """\
import torch

def model():
    return torch.nn.ReLU(), (torch.ones(4),)
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    with (scratch.folder / "MODULE.bazel").open("a", encoding="utf-8") as file:
        file.write(_MODULE)
    scratch.write("interpreter/python.sh", _INTERPRETER).chmod(0o755)
    scratch.write("interpreter/lib/program.txt", sys.executable)
    scratch.write("interpreter/BUILD.bazel", _TOOLCHAIN)
    scratch.write("BUILD.bazel", _BUILD)
    scratch.write("net.py", _MODEL)
    yield scratch
    scratch.shutdown()


def test_multi_file_interpreter_compiles_and_generates(workspace: Workspace) -> None:
    build = workspace.build("//:net_cc")
    assert build.exit_code == 0, build.stderr
    assert {"ExecutorchLower", "ExecutorchCodegen"} <= set(build.mnemonics)
    assert "is a directory" not in build.stderr  # Bazel's warning about directories among inputs


def test_files_next_to_the_interpreter_are_inputs(workspace: Workspace) -> None:
    file = workspace.folder / "interpreter/lib/program.txt"
    file.write_text(sys.executable + "\n", encoding="utf-8")
    assert {"ExecutorchLower", "ExecutorchCodegen"} <= set(workspace.build("//:net_cc").mnemonics)


def test_undeclared_interpreter_files_are_not_found(workspace: Workspace) -> None:
    workspace.write("interpreter/BUILD.bazel", _TOOLCHAIN.replace('["lib/program.txt"]', "[]"))
    build = workspace.build("//:net_cc")
    assert build.exit_code != 0
    assert "lib/program.txt" in build.stderr
