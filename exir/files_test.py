"""Files are written completely or not at all."""

import functools
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from exir.files import write_files

_ROOM = 1 << 16


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Limit the files of this process to 64 KiB, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_ROOM, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _fail(file: BinaryIO) -> None:
    file.write(b"half")
    raise RuntimeError("injected")


def _write(file: BinaryIO, name: str) -> None:
    file.write(name.encode())


def test_files_are_written_and_nothing_else(tmp_path: Path) -> None:
    write_files({tmp_path / name: functools.partial(_write, name=name) for name in ("a", "b")})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "a", "b": "b"}


def test_earlier_files_stay_when_one_fails(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    with pytest.raises(RuntimeError, match="injected"):
        write_files(
            {
                tmp_path / "a": lambda file: file.write(b"new"),
                tmp_path / "b": _fail,
                tmp_path / "c": lambda file: file.write(b"not come to"),
            }
        )
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "earlier"}


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    with pytest.raises(OSError, match="File too large"):
        write_files({tmp_path / "a": lambda file: file.write(bytes(_ROOM + 1))})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "earlier"}


def test_a_file_that_cannot_be_moved_leaves_no_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, place: Path) -> None:
        raise OSError(f"cannot move to {place.name}")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="cannot move to a"):
        write_files({tmp_path / "a": lambda file: file.write(b"new")})
    assert list(tmp_path.iterdir()) == []
