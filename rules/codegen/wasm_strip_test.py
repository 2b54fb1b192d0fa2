"""Tests that custom sections of WebAssembly modules are removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.codegen import wasm_strip

_HEADER = b"\0asm\1\0\0\0"
_TYPES = b"\1\4\1\x60\0\0"
_NAMES = b"\0\x85\0\4name"


def test_custom_sections_are_removed(tmp_path: Path) -> None:
    source, out = tmp_path / "in.wasm", tmp_path / "out.wasm"
    source.write_bytes(_HEADER + _NAMES + _TYPES + _NAMES)
    assert wasm_strip.main([str(source), str(out)]) == 0
    assert out.read_bytes() == _HEADER + _TYPES
    assert wasm_strip.strip(_HEADER) == _HEADER


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (b"\x7fELF", "not a WebAssembly module"),
        (_HEADER + b"\1", "a section has no size"),
        (_HEADER + b"\1\5\0", "a section ends after the file"),
        (_HEADER + b"\1" + b"\x80" * 5 + b"\1", "a size has more than 5 bytes"),
    ],
)
def test_files_that_are_not_modules_are_refused(
    module: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "in.wasm", tmp_path / "out.wasm"
    source.write_bytes(module)
    assert wasm_strip.main([str(source), str(out)]) == 1
    assert f"{source}: {message}; link" in capsys.readouterr().err
    assert not out.exists()
