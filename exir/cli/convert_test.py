"""Tests that a model is compiled from its file name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from exir.cli.convert import conversion

_ROOT = Path(__file__).parents[2]
_MODEL = """
import torch

def net():
    return torch.nn.ReLU(), (torch.ones(4),)
"""


def _run_convert(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command from another folder, as `bazel run` does."""
    table = "--kernels=kernels/portable/kernels.toml"
    environment = {
        **os.environ,
        "BUILD_WORKING_DIRECTORY": str(folder),
        "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path]),
    }
    command = [sys.executable, "-m", "exir.cli.convert", table, *arguments]
    return subprocess.run(
        command, cwd=folder.parent, env=environment, capture_output=True, text=True, check=False
    )


def test_converted_program_is_written_to_the_requested_path(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(_MODEL)
    result = _run_convert(tmp_path, "net.py:net", "-o", "out.pte")
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "out.pte").read_bytes()[4:8] == b"ET12"


def test_convert_error_names_the_module(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(_MODEL)
    result = _run_convert(tmp_path, "net.py")
    assert result.returncode == 1
    assert result.stderr.startswith("error: net.py: ")
    assert "'model'" in result.stderr
    assert not (tmp_path / "net.pte").exists()


def test_convert_names_a_missing_file(tmp_path: Path) -> None:
    result = _run_convert(tmp_path, "missing.py:net")
    assert result.returncode == 1
    assert result.stderr == f"error: missing.py:net: missing.py does not exist in {tmp_path}\n"


@pytest.mark.parametrize(
    "imports", ["from layers.relu import make", "from .relu import make", "from relu import make"]
)
def test_workspace_sources_are_importable(
    imports: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "layers"
    folder.mkdir()
    if imports.startswith("from ."):
        (folder / "__init__.py").touch()
    (folder / "relu.py").write_text("import torch\n\nmake = torch.nn.ReLU\n")
    (folder / "net.py").write_text(f"{imports}\n{_MODEL.replace('torch.nn.ReLU()', 'make()')}")
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(tmp_path))
    result = _run_convert(tmp_path, "layers/net.py:net", "-o", "out.pte")
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "out.pte").exists()


def test_flags_after_the_module_reach_the_compiler() -> None:
    flags = conversion(["lib/net.py", "--config", "options.toml"]).flags
    assert flags[-2:] == ["--config", "options.toml"]
    assert {"--module=net", "--import-root=lib", "--entry-point=model", "--out-pte=lib/net.pte"} <= set(
        flags
    )


@pytest.mark.parametrize("file", ["net", "my-net.py", "net.txt:model"])
def test_convert_rejects_a_file_that_is_not_a_module(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        conversion([file])
    assert f"'{file.partition(':')[0]}' is not an importable Python source" in capsys.readouterr().err
