"""Tests that imported programs are linked with their backends and without torch."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import Workspace, new_workspace, repository_root

_EXAMPLE = repository_root() / "examples" / "checked_in_program"
_FIXTURES = repository_root() / "tests" / "fixtures"
_FILES = (
    "mlp_weights.ptd",
    "ptd_mlp.pte",
    "tiny_llama_kv_portable.pte",
    "multi_state_shared.pte",
    "tut08_partitioner_demo.pte",
)

_OTHER_MODULE = """
bazel_dep(name = "other")
local_path_override(module_name = "other", path = "{folder}")
"""

_OTHER_REPOSITORY = """
local_repository(name = "other", path = "{folder}")
"""

_OTHER_HEAD = """\
module(name = "other")
bazel_dep(name = "rules_executorch", version = "0.1.0")
"""

_OTHER_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_cc_library", "executorch_import")

executorch_import(name = "add", pte = "add.pte")

executorch_cc_library(name = "add_cc", model = "add", visibility = ["//visibility:public"])
"""

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_cc_library", "executorch_import", "executorch_parity_test")

executorch_import(name = "state", pte = "multi_state_shared.pte")

executorch_import(name = "decoder", pte = "tiny_llama_kv_portable.pte")

executorch_import(name = "apart", pte = "ptd_mlp.pte", weights = "mlp_weights.ptd")

executorch_import(
    name = "delegated",
    backend = "@rules_executorch//backends/demo:compiler_demo",
    pte = "tut08_partitioner_demo.pte",
)

[executorch_cc_library(name = name + "_cc", model = name) for name in ("state", "decoder", "apart", "delegated")]

executorch_import(name = "without_weights", pte = "ptd_mlp.pte")

executorch_import(name = "without_backend", pte = "tut08_partitioner_demo.pte")

executorch_import(name = "damaged", pte = "damaged.pte")

executorch_import(name = "too_little", pte = "too_little.pte")

executorch_cc_library(name = "too_little_cc", model = "too_little")

executorch_parity_test(name = "no_parity_test", model = ":apart")
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    shutil.copytree(_EXAMPLE / "app", scratch.folder / "app")
    scratch.write("lib/BUILD.bazel", _BUILD)
    for name in _FILES:
        shutil.copy(_FIXTURES / name, scratch.folder / "lib" / name)
    whole = (_FIXTURES / "ptd_mlp.pte").read_bytes()
    (scratch.folder / "lib/damaged.pte").write_bytes(whole[: len(whole) // 2])
    (scratch.folder / "lib/too_little.pte").write_bytes(
        _with_too_little_memory((_EXAMPLE / "app/add.pte").read_bytes())
    )
    _add_other_repository(scratch)
    yield scratch
    scratch.shutdown()


def _with_too_little_memory(add: bytes) -> bytes:
    """Return the example's program with 16 bytes of planned memory instead of 144.

    The file is well-formed, but a tensor exceeds the planned memory.
    """
    at = 184
    assert add[at : at + 8] == (144).to_bytes(8, "little")
    return add[:at] + (16).to_bytes(8, "little") + add[at + 8 :]


def _add_other_repository(scratch: Workspace) -> None:
    """Add a repository with a library next to the workspace."""
    folder = scratch.folder.parent / "other"
    folder.mkdir()
    (folder / "MODULE.bazel").write_text(_OTHER_HEAD, encoding="utf-8")
    (folder / "WORKSPACE").write_text("", encoding="utf-8")
    (folder / "BUILD.bazel").write_text(_OTHER_BUILD, encoding="utf-8")
    shutil.copy(_EXAMPLE / "app/add.pte", folder)
    for name, text in (("MODULE.bazel", _OTHER_MODULE), ("WORKSPACE", _OTHER_REPOSITORY)):
        file = scratch.folder / name
        file.write_text(file.read_text(encoding="utf-8") + text.format(folder=folder), encoding="utf-8")


def test_app_with_one_operator_compiles_in_few_actions(workspace: Workspace) -> None:
    """Runs first, because it is the first test that compiles.

    The actions build the runtime, the kernels, the verifier, and the backends of an imported
    program's delegates. Each action compiles up to 16 sources.
    """
    build = workspace.build("//app")
    assert build.exit_code == 0, build.stderr
    compilations = [name for name in build.needed if name in ("CppCompile", "ExecutorchCompileObjects")]
    print(f"{len(compilations)} actions compile C")
    assert len(compilations) <= 72


def test_linking_a_program_fetches_no_packages(workspace: Workspace) -> None:
    """Runs second, because later tests may fetch packages."""
    result = workspace.run("//app")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "11 99\n"
    assert not list(workspace.output_base.glob("external/*executorch_pip"))


@pytest.mark.parametrize("name", ["state", "decoder", "apart", "delegated"])
def test_official_program_links(name: str, workspace: Workspace) -> None:
    build = workspace.build(f"//lib:{name}_cc")
    assert build.exit_code == 0, build.stderr
    assert "ExecutorchLower" not in build.mnemonics


def test_imported_program_of_another_repository_links(workspace: Workspace) -> None:
    build = workspace.build("@other//:add_cc")
    assert build.exit_code == 0, build.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "without_weights",
            "error: //lib:without_weights: lib/ptd_mlp.pte: 4 weights are in a separate file"
            " (0.bias, 0.weight, 2.bias, ...); pass the .ptd file in 'weights'",
        ),
        (
            "without_backend",
            "error: //lib:without_backend: lib/tut08_partitioner_demo.pte: delegates to 'BackendWithCompilerDemo', which is not in 'backend';"
            " add a backend target for it",
        ),
        ("damaged", "error: //lib:damaged: lib/damaged.pte: "),
    ],
)
def test_invalid_imported_program_is_a_build_error(name: str, message: str, workspace: Workspace) -> None:
    build = workspace.build(f"//lib:{name}")
    assert build.exit_code != 0
    assert message in build.stderr
    assert "Traceback" not in build.stderr


@pytest.mark.parametrize("target", ["//lib:too_little", "//lib:too_little_cc"])
def test_program_that_cannot_load_fails_the_build(target: str, workspace: Workspace) -> None:
    build = workspace.build(target)
    assert build.exit_code != 0
    assert (
        "error: //lib:too_little: the runtime rejects lib/too_little.pte: INVALID_PROGRAM:"
        " execution_plan[0].values[0]: 36 bytes at 96 exceed the 16 bytes of memory id 1; export the program again\n"
        in build.stderr
    )
    build = workspace.build("--noexperimental_run_validations", target)
    assert build.exit_code == 0, build.stderr


def test_imported_program_has_no_parity_reference(workspace: Workspace) -> None:
    build = workspace.build("//lib:no_parity_test")
    assert build.exit_code != 0
    assert "is a prebuilt program without an eager model" in build.stderr


def test_import_guide_shows_the_examples_files() -> None:
    guide = (repository_root() / "docs" / "how_to" / "checked_in_programs.md").read_text(encoding="utf-8")
    for name in ("BUILD.bazel", "app.c"):
        shown = re.search(rf"```\w+\n[#/* ]*app/{re.escape(name)}[^\n]*\n+(.*?)```", guide, re.DOTALL)
        assert shown is not None
        content = (_EXAMPLE / "app" / name).read_text(encoding="utf-8")
        assert shown[1].strip() in content
