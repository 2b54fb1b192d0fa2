"""Tests that an entry of the user's cache is complete or absent, and created once."""

import fcntl
import multiprocessing
import shutil
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from user_cache import cache_root, publish


def _write_file(folder: Path) -> None:
    (folder / "content").write_text("complete")


def _slow_write(folder: Path, log: str) -> None:
    with open(log, "a") as handle:
        handle.write("made\n")
    time.sleep(0.2)
    _write_file(folder)


def _publish_slowly(entry: str, log: str) -> None:
    publish(Path(entry), lambda folder: _slow_write(folder, log))


def test_cache_root_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "rules_executorch"


def test_cache_root_falls_back_to_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache/rules_executorch"


def test_cache_entry_is_created_once(tmp_path: Path) -> None:
    assert publish(tmp_path / "entry", _write_file)
    assert not publish(tmp_path / "entry", _write_file)
    assert (tmp_path / "entry/content").read_text() == "complete"
    assert (tmp_path / "entry").stat().st_mode & 0o777 == 0o755


def test_failed_creation_leaves_no_entry(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        _write_file(folder)
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError):
        publish(tmp_path / "entry", fail)
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_leftover_of_a_killed_process_is_replaced(tmp_path: Path) -> None:
    leftover = tmp_path / ".entry.part-1234"
    leftover.mkdir()
    publish(tmp_path / "entry", _write_file)
    assert not leftover.exists()


def _raise_error(_: Path) -> None:
    raise RuntimeError("does not start")


def test_cache_entry_is_verified_in_place_on_each_use(tmp_path: Path) -> None:
    seen: list[Path] = []
    assert publish(tmp_path / "entry", _write_file, seen.append)
    assert not publish(tmp_path / "entry", _write_file, seen.append)
    assert seen == [tmp_path / "entry"] * 2


def test_invalid_cache_entry_is_removed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="does not start"):
        publish(tmp_path / "entry", _write_file, _raise_error)
    assert not (tmp_path / "entry").exists()


def test_cache_entry_is_verified_under_its_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    locked: list[bool] = []

    def refuse(entry: Path) -> None:
        locked.append(_is_locked(entry))
        raise RuntimeError("does not start")

    monkeypatch.setattr(shutil, "rmtree", lambda path, **_: locked.append(_is_locked(path)))
    with pytest.raises(RuntimeError):
        publish(tmp_path / "entry", _write_file, refuse)
    assert locked == [True, True]


def _is_locked(entry: Path) -> bool:
    with open(entry.parent / f".{entry.name}.lock") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_cache_entry_is_created_once_by_two_processes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    arguments = (str(tmp_path / "entry"), str(log))
    processes = [multiprocessing.Process(target=_publish_slowly, args=arguments) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert log.read_text() == "made\n"
