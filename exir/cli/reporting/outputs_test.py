"""Tests of writing outputs."""

from pathlib import Path
from typing import BinaryIO

import pytest

from exir.cli.reporting.outputs import write_outputs


def _fail(file: BinaryIO) -> None:
    file.write(b"half")
    raise RuntimeError("disk")


def test_all_output_files_are_written(tmp_path: Path) -> None:
    write_outputs({tmp_path / name: lambda file: file.write(b"x") for name in ("a", "b")})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_failed_write_leaves_no_output_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"of an earlier run")
    with pytest.raises(RuntimeError, match="disk"):
        write_outputs({tmp_path / "a": lambda file: file.write(b"x"), tmp_path / "b": _fail})
    assert list(tmp_path.iterdir()) == []
