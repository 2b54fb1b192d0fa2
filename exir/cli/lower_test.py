"""Tests of the command line's checks before a compilation."""

import pytest

from exir import torch_versions
from exir.cli.lower import main
from exir.torch_versions import SUPPORTED_TORCH


def test_unsupported_torch_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch_versions, "version", lambda name: "2.10.0")
    assert main([]) == 1
    assert capsys.readouterr().err == (
        f"error: unsupported torch: found torch 2.10.0; install torch {SUPPORTED_TORCH}\n"
    )
