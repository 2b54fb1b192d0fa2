"""Tests that the SDK works in the CMake project of docs/how_to/use_from_cmake.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tools.sdk.pack import destination, pack

_PAGE = Path("docs/how_to/use_from_cmake.md")


@pytest.fixture(scope="module")
def build_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the SDK, and build the project of the page with it."""
    folder = tmp_path_factory.mktemp("project")
    with tarfile.open(os.environ["SDK"]) as archive:
        archive.extractall(folder)
    (prefix,) = folder.glob("executorch-*")
    for name, text in re.findall(r"^```\w+\n(?:#|//) (\S+)\n(.*?)^```", _PAGE.read_text(encoding="utf-8"), re.M | re.S):
        (folder / name).write_text(text, encoding="utf-8")
    _run_cmake(
        f"-S{folder}", f"-B{folder}/build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"
    )
    _run_cmake("--build", str(folder / "build"))
    return folder / "build"


def _run_cmake(*arguments: str) -> None:
    """Run the CMake of the package `cmake`, which is on the import path."""
    places = [Path(folder, "cmake/data/bin/cmake") for folder in sys.path]
    cmake = next(place for place in places if place.is_file())
    result = subprocess.run([cmake, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_cmake_project_runs_a_program(build_folder: Path) -> None:
    app = subprocess.run([build_folder / "app", os.environ["PROGRAM"]], capture_output=True, text=True, check=False)
    assert app.returncode == 0, app.stderr
    assert re.fullmatch(r"\d\n", app.stdout)


def test_cmake_project_reports_a_missing_program(build_folder: Path) -> None:
    app = subprocess.run([build_folder / "app", "absent.pte"], capture_output=True, text=True, check=False)
    assert app.returncode == 1
    assert "absent.pte" in app.stderr


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("bazel-out/k8-opt/bin/runtime/core/libcore.pic.a", "lib/executorch/libruntime_core_core.pic.a"),
        ("bazel-out/k8-opt/bin/ops/libops.lo", "lib/executorch/whole/libops_ops.a"),
        ("runtime/include/executorch/status.h", "include/executorch/status.h"),
        ("external/rules/bindings/cc/include/executorch/result.hpp", "include/executorch/result.hpp"),
        ("backends/cpu/threads/pool.h", "include/backends/cpu/threads/pool.h"),
        ("tools/sdk/cmake/executorchConfig.cmake", "lib/cmake/executorch/executorchConfig.cmake"),
        ("LICENSE", "LICENSE"),
    ],
)
def test_inputs_have_places_in_the_archive(path: str, place: str) -> None:
    assert destination(path) == place


def test_two_inputs_with_one_place_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"a/include/x\.h and b/include/x\.h have the same place"):
        pack(["b/include/x.h", "a/include/x.h"], "1.0")
