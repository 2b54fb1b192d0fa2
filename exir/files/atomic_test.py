"""Tests that files are written completely or not at all."""

import functools
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from exir.files.atomic import write_files, write_outputs

_ROOM = 1 << 16


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Limit this process's files to 64 KiB, to simulate a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_ROOM, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _failing_writer(file: BinaryIO) -> None:
    file.write(b"half")
    raise RuntimeError("injected")


def _write_name(file: BinaryIO, name: str) -> None:
    file.write(name.encode())


def test_only_requested_files_are_written(tmp_path: Path) -> None:
    write_files({tmp_path / name: functools.partial(_write_name, name=name) for name in ("a", "b")})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "a", "b": "b"}


def test_existing_files_survive_a_failed_write(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    with pytest.raises(RuntimeError, match="injected"):
        write_files(
            {
                tmp_path / "a": lambda file: file.write(b"new"),
                tmp_path / "b": _failing_writer,
                tmp_path / "c": lambda file: file.write(b"not come to"),
            }
        )
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "earlier"}


@pytest.mark.usefixtures("full_disk")
def test_existing_file_survives_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    with pytest.raises(OSError, match="File too large"):
        write_files({tmp_path / "a": lambda file: file.write(bytes(_ROOM + 1))})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "earlier"}


def test_failed_rename_leaves_no_partial_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, place: Path) -> None:
        raise OSError(f"cannot move to {place.name}")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="cannot move to a"):
        write_files({tmp_path / "a": lambda file: file.write(b"new")})
    assert list(tmp_path.iterdir()) == []


def test_all_output_files_are_written(tmp_path: Path) -> None:
    write_outputs({tmp_path / name: lambda file: file.write(b"x") for name in ("a", "b")})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_failed_write_leaves_no_output_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"of an earlier run")
    with pytest.raises(RuntimeError, match="injected"):
        write_outputs({tmp_path / "a": lambda file: file.write(b"x"), tmp_path / "b": _failing_writer})
    assert list(tmp_path.iterdir()) == []
