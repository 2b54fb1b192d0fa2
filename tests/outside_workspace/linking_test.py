"""Tests programs as files, shared memory, and shared libraries.

The files are those of docs/how_to/programs_as_files.md and docs/how_to/shared_libraries.md.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root, shown_files

_PROGRAM = repository_root() / "examples/checked_in_program/app/add.pte"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    for page, package in (("docs/how_to/programs_as_files.md", "app"), ("docs/how_to/shared_libraries.md", "plugins")):
        for path, text in shown_files(page):
            scratch.write(path, text)
        for name in ("add", "sum"):
            shutil.copy(_PROGRAM, scratch.folder / package / f"{name}.pte")
    yield scratch
    scratch.shutdown()


def test_programs_load_from_runfiles_into_shared_memory(workspace: Workspace) -> None:
    result = workspace.run("//app")
    assert result.returncode == 0, result.stdout + result.stderr
    assert [line.rpartition("/")[2] for line in result.stdout.splitlines()] == ["add.pte", "sum.pte"]


def test_app_does_not_embed_the_program(workspace: Workspace) -> None:
    build = workspace.build("//app")
    assert build.exit_code == 0, build.stderr
    assert _PROGRAM.read_bytes()[64:256] not in (workspace.folder / "bazel-bin/app/app").read_bytes()


_MORE = """\
load("@rules_executorch//rules:defs.bzl", "executorch_import", "executorch_shared_library")

executorch_import(name = "add", pte = "add.pte")

executorch_shared_library(name = "more", exports = ["et_method_measure"], model = ":add")
"""
_FUNCTIONS = ["execute", "get_output_0", "load", "reset_state", "set_input_0", "set_input_1", "unload"]


def test_app_links_two_shared_libraries(workspace: Workspace) -> None:
    result = workspace.run("//plugins")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == "2 4\n"


def test_cpp_app_links_no_code_of_the_runtime(workspace: Workspace) -> None:
    flags = ("--copt=-fno-exceptions", "--copt=-fno-rtti")
    result = workspace.run("//plugins:sum_cpp", flags=flags)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == "4\n"
    command = ["nm", "--defined-only", str(workspace.folder / "bazel-bin/plugins/sum_cpp")]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "main" in symbols
    assert " et_" not in symbols


def test_shared_library_exports_only_its_models_functions(workspace: Workspace) -> None:
    for name in ("add", "sum"):
        exported = _exported_symbols(_shared_library(workspace, name))
        assert [symbol.partition("_forward_")[2] for symbol in exported] == _FUNCTIONS
        assert all(symbol.startswith(f"plugins_{name}_") for symbol in exported)


def test_process_loads_two_shared_libraries(workspace: Workspace) -> None:
    results = [
        _first_sum(ctypes.CDLL(str(path), mode), _exported_symbols(path)) for path, mode in _built_libraries(workspace)
    ]
    assert results == [2.0] * 4


def test_shared_library_exports_additional_named_functions(workspace: Workspace) -> None:
    shutil.copy(_PROGRAM, workspace.write("more/BUILD.bazel", _MORE).parent / "add.pte")
    build = workspace.build("//more")
    assert build.exit_code == 0, build.stderr
    exported = _exported_symbols(workspace.folder / "bazel-bin/more/libmore.so")
    assert "et_method_measure" in exported and len(exported) == len(_FUNCTIONS) + 1


def _shared_library(workspace: Workspace, name: str) -> Path:
    return workspace.folder / f"bazel-bin/plugins/lib{name}_model.so"


def _built_libraries(workspace: Workspace) -> Iterator[tuple[Path, int]]:
    build = workspace.build("//plugins:add_model", "//plugins:sum_model")
    assert build.exit_code == 0, build.stderr
    for mode in (ctypes.RTLD_LOCAL, ctypes.RTLD_GLOBAL):
        for name in ("add", "sum"):
            yield _shared_library(workspace, name), mode


def _exported_symbols(library: Path) -> list[str]:
    """Return the exported functions, sorted by their purpose."""
    command = ["nm", "-D", "--defined-only", str(library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted((line.split()[-1] for line in lines), key=lambda name: name.partition("_forward_")[2])


def _first_sum(library: ctypes.CDLL, names: list[str]) -> float:
    """Add a tensor of ones to itself with the library; return the first element."""
    call = {name.partition("_forward_")[2]: getattr(library, name) for name in names}
    memory = ctypes.create_string_buffer(1 << 20)
    aligned = ctypes.c_void_p((ctypes.addressof(memory) + 63) & ~63)
    method, result = ctypes.c_void_p(), ctypes.POINTER(ctypes.c_float)()
    ones = (ctypes.c_float * 9)(*[1.0] * 9)
    assert call["load"](aligned, None, ctypes.byref(method), None) == 0
    assert call["set_input_0"](method, ones, None) == 0
    assert call["set_input_1"](method, ones, None) == 0
    assert call["execute"](method, None) == 0
    assert call["get_output_0"](method, ctypes.byref(result), None) == 0
    first = result[0]
    call["unload"](method)
    return first
