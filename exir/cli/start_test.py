"""Tests the start of the compiler: the torch version, and imports of models."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from exir import torch_versions
from exir.cli.lower import main
from exir.torch_versions import SUPPORTED_TORCH

_START = Path(__file__).with_name("start.py")
_SITE = Path(torch.__file__).parents[1]
_MODEL = """
import torch
import exir
from kernels.own import OFFSET

class Net(torch.nn.Module):
    def forward(self, x):
        return x + OFFSET

def model():
    return exir.ModelSpec(Net(), (torch.ones(2),))
"""


def _compile_model(folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "net.py").write_text(_MODEL)
    flags = ["--target=//:net_pte", "--module=net", "--import-root=.", "--out-pte=net.pte"]
    return subprocess.run(
        [sys.executable, str(_START), *flags],
        cwd=folder,
        env={"PYTHONPATH": str(_SITE), "PYTHONSAFEPATH": "1", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )


def test_user_package_may_share_a_name_with_ours(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "own.py").write_text("OFFSET = 1.0\n")
    result = _compile_model(tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "net.pte").read_bytes()[4:8] == b"ET12"


def test_packages_next_to_exir_are_not_importable(tmp_path: Path) -> None:
    result = _compile_model(tmp_path)
    assert result.returncode == 1
    assert "No module named 'kernels'" in result.stderr


def test_unsupported_torch_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch_versions, "version", lambda name: "2.10.0")
    assert main([]) == 1
    assert capsys.readouterr().err == (
        f"error: unsupported torch: found torch 2.10.0; install torch {SUPPORTED_TORCH}\n"
    )
