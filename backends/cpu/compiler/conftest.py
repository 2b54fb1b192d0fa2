"""Fixtures for the compiler tests."""

import pytest

from backends.cpu.compiler.pipeline import VERIFY_VARIABLE


@pytest.fixture(autouse=True)
def verify_between_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify the op graph after every pass."""
    monkeypatch.setenv(VERIFY_VARIABLE, "1")
