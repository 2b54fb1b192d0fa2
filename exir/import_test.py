"""Tests that `from exir import name` reports an unsuitable torch."""

import sys
import types

import pytest

import exir
from exir import SUPPORTED_TORCH


def test_import_error_names_installed_and_supported_torch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = types.ModuleType("exir.program")
    monkeypatch.setitem(sys.modules, "exir.program", other)
    monkeypatch.setattr(exir, "version", lambda name: "2.9.1")
    with pytest.raises(
        ImportError,
        match=rf"torch 2\.9\.1; install torch {SUPPORTED_TORCH[:-1]}.*no attribute 'to_edge'",
    ):
        from exir import to_edge  # noqa: F401


def test_import_error_reports_missing_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise exir.PackageNotFoundError(name)

    monkeypatch.setitem(sys.modules, "exir.program", types.ModuleType("exir.program"))
    monkeypatch.setattr(exir, "version", missing)
    with pytest.raises(ImportError, match="torch is not installed; install torch 2"):
        from exir import to_edge  # noqa: F401
