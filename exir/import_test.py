"""Tests that `from exir import name` reports an unsuitable torch."""

import sys
import types
from importlib.metadata import PackageNotFoundError

import pytest

from exir import torch_versions
from exir.torch_versions import NEWEST, OLDEST, SUPPORTED_TORCH, minor_release

_OUTSIDE = [f"2.{OLDEST[1] - 1}.1", f"2.{NEWEST[1] + 1}.0+cpu", "3.0.0a0+git123"]


def _install(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    monkeypatch.setattr(torch_versions, "version", lambda name: found)


@pytest.mark.parametrize("found", _OUTSIDE)
def test_torch_outside_the_range_is_refused_before_the_import(
    monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    _install(monkeypatch, found)
    message = f"unsupported torch: found torch {found}; install torch {SUPPORTED_TORCH}"
    with pytest.raises(ImportError) as caught:
        from exir import to_edge  # noqa: F401
    assert message in str(caught.value)


def test_import_error_names_installed_and_supported_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "exir.program", types.ModuleType("exir.program"))
    _install(monkeypatch, "2.13.7")
    with pytest.raises(
        ImportError, match=rf"torch 2\.13\.7; install torch {SUPPORTED_TORCH}.*no attribute 'to_edge'"
    ):
        from exir import to_edge  # noqa: F401


def test_import_error_reports_missing_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setitem(sys.modules, "exir.program", types.ModuleType("exir.program"))
    monkeypatch.setattr(torch_versions, "version", missing)
    with pytest.raises(ImportError, match="torch is not installed; install torch 2"):
        from exir import to_edge  # noqa: F401


@pytest.mark.parametrize("text", ["2.13.0+cpu", "2.13.1", "2.13.0a0+git5"])
def test_minor_release_ignores_patch_and_build(text: str) -> None:
    assert minor_release(text) == (2, 13)
