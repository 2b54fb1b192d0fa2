"""Uses Bazel's execution log to test which actions run again after an edit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.outside_workspace.scratch_workspace import COMPILES_A_MODEL, Workspace, repository_root

_BUILD = """\
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_executorch//rules:defs.bzl", "executorch_cc_library", "executorch_model")
load("@rules_python//python:py_library.bzl", "py_library")

[(
    py_library(name = name, srcs = [name + ".py"]),
    executorch_model(name = name + "_pte", module = ":" + name),
    executorch_cc_library(name = name + "_cc", model = ":" + name + "_pte"),
    cc_binary(name = name + "_app", srcs = [name + "_app.c"], deps = [":" + name + "_cc"]),
) for name in ["first", "second"]]
"""

_MODEL = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x + {constant})

def model():
    return Net(), (torch.ones(4),)
"""

_APP = """\
#include "{name}_cc.h"

static {name}_forward_memory memory;

int main(void) {{
  {name}_forward_method method = {{NULL}};
  return {name}_forward_load(&memory, NULL, &method, NULL) == ET_STATUS_OK ? 0 : 1;
}}
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = Workspace(tmp_path_factory.mktemp("scratch") / "workspace", repository_root())
    scratch.write("BUILD.bazel", _BUILD)
    for name, constant in (("first", "1.0"), ("second", "2.0")):
        scratch.write(f"{name}.py", _MODEL.format(constant=constant))
        scratch.write(f"{name}_app.c", _APP.format(name=name))
    first = scratch.build("//...")
    assert first.exit_code == 0, first.stderr
    assert first.mnemonics.count("ExecutorchLower") == 2
    yield scratch
    scratch.shutdown()


def test_second_build_runs_no_actions(workspace: Workspace) -> None:
    assert workspace.build("//...").mnemonics == ()


def test_touched_file_rebuilds_no_target(workspace: Workspace) -> None:
    for file in workspace.folder.glob("*.py"):
        file.touch()
    assert workspace.build("//...").mnemonics == ()


def test_model_edit_compiles_only_that_model(workspace: Workspace) -> None:
    workspace.write("first.py", _MODEL.format(constant="3.0"))
    build = workspace.build("//:first_pte", "//:second_pte")
    assert build.mnemonics == COMPILES_A_MODEL


def test_edit_without_program_changes_does_not_relink(workspace: Workspace) -> None:
    before = workspace.build("//...")
    assert before.exit_code == 0, before.stderr
    source = workspace.folder / "first.py"
    source.write_text(source.read_text() + "\n# A comment.\n")
    assert workspace.build("//...").mnemonics == ("ExecutorchLower",)


def test_model_edit_relinks_only_its_app(workspace: Workspace) -> None:
    workspace.write("second.py", _MODEL.format(constant="4.0"))
    build = workspace.build("//...")
    assert build.exit_code == 0, build.stderr
    assert build.mnemonics.count("ExecutorchLower") == 1
    assert build.mnemonics.count("CppLink") == 1
    assert workspace.run("//:second_app").returncode == 0


def test_failed_compilation_leaves_no_program(workspace: Workspace) -> None:
    source = workspace.folder / "first.py"
    before = source.read_text()
    workspace.write("first.py", before + "\nraise RuntimeError('broken on purpose')\n")
    build = workspace.build("//:first_pte")
    workspace.write("first.py", before)
    assert build.exit_code != 0
    assert "broken on purpose" in build.stderr
    assert not (workspace.folder / "bazel-bin" / "first.pte").exists()


_C_SETTINGS = ("--copt=-O1", "--conlyopt=-g", "--cxxopt=-g", "--linkopt=-g", "--strip=never", "--features=-pic")


@pytest.mark.parametrize("mode", ["opt", "dbg"])
def test_c_settings_compile_no_model(workspace: Workspace, mode: str) -> None:
    before = workspace.build("//...")
    assert before.exit_code == 0, before.stderr
    flags = (f"--compilation_mode={mode}", *_C_SETTINGS)
    build = workspace.build(*flags, "//...")
    assert build.exit_code == 0, build.stderr
    assert "CppLink" in build.mnemonics
    assert not set(COMPILES_A_MODEL) & set(build.mnemonics)
    assert workspace.run("//:first_app", flags=flags).returncode == 0
    assert (workspace.folder / "bazel-bin/first.pte").stat().st_size > 0
    assert (workspace.folder / "bazel-bin/first.manifest.json").stat().st_size > 0


_SELECTS = """
config_setting(name = "optimized", values = {{"compilation_mode": "opt"}})

config_setting(name = "small", define_values = {{"variant": "small"}})

executorch_model(
    name = "chosen_pte",
    module = ":first",
    entry_point = select({{":{setting}": "small_model", "//conditions:default": "model"}}),
)
"""


def test_select_on_a_user_setting_chooses_attributes(workspace: Workspace) -> None:
    workspace.write("BUILD.bazel", _BUILD + _SELECTS.format(setting="small"))
    flags = ("--compilation_mode=opt", "--define=variant=small", "//:chosen_pte")
    build = workspace.build(*flags)
    workspace.write("BUILD.bazel", _BUILD)
    assert build.exit_code != 0
    assert "'small_model'" in build.stderr


def test_select_on_the_compilation_mode_is_an_error(workspace: Workspace) -> None:
    workspace.write("BUILD.bazel", _BUILD + _SELECTS.format(setting="optimized"))
    default = workspace.build("--nobuild", "//:chosen_pte")
    optimized = workspace.build("--nobuild", "--compilation_mode=opt", "//:chosen_pte")
    workspace.write("BUILD.bazel", _BUILD)
    assert default.exit_code == 0, default.stderr
    assert optimized.exit_code != 0
    assert "//:chosen_pte: 'entry_point' depends on the compilation mode" in optimized.stderr


_GENERATED = """
genrule(
    name = "generate",
    srcs = ["first.py"],
    outs = ["generated/third.py"],
    cmd = "cp $< $@",
)

py_library(name = "third", srcs = ["generated/third.py"])

executorch_model(name = "third_pte", module = ":third")
"""


def test_switching_configuration_uses_the_cache(workspace: Workspace) -> None:
    """Uses the flags of docs/how_to/cross_compile.md.

    A generated source is in a folder named after the configuration.
    """
    workspace.write("BUILD.bazel", _BUILD + _GENERATED)
    cache = f"--disk_cache={workspace.folder.parent / 'cache'}"
    flags = ("--experimental_output_paths=strip", "--worker_sandboxing", cache, "//:third_pte")
    first = workspace.build(*flags)
    assert first.exit_code == 0, first.stderr
    assert first.mnemonics == ("Genrule", *COMPILES_A_MODEL)
    second = workspace.build("--compilation_mode=opt", *flags)
    assert second.exit_code == 0, second.stderr
    assert not set(COMPILES_A_MODEL) & set(second.mnemonics)
