"""Tests the size of the code of a WebAssembly library."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

_FOLDER = Path("tests/web")


@pytest.mark.parametrize(
    "path", [_FOLDER / f"mobilenet.{variant}.wasm" for variant in ("plain", "simd", "relaxed_simd")]
)
def test_code_of_mobilenet_fits_its_budget(path: Path) -> None:
    """With `-c opt` or not: the runtime is always optimized."""
    code = path.read_bytes()
    sizes = (len(code), len(gzip.compress(code, 9)))
    print(path.name, *sizes)
    assert sizes[0] <= 250_000 and sizes[1] <= 100_000, sizes


def test_module_and_declarations_are_small() -> None:
    assert len(gzip.compress((_FOLDER / "mobilenet.mjs").read_bytes(), 9)) <= 10_000
