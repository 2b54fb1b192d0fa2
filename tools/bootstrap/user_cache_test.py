"""An entry of the user's cache is there in full or not at all, and made once."""

import multiprocessing
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from user_cache import cache_root, publish


def _write(folder: Path) -> None:
    (folder / "content").write_text("complete")


def _slow_write(folder: Path, log: str) -> None:
    with open(log, "a") as handle:
        handle.write("made\n")
    time.sleep(0.2)
    _write(folder)


def _publish_slowly(entry: str, log: str) -> None:
    publish(Path(entry), lambda folder: _slow_write(folder, log))


def test_cache_root_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "rules_executorch"


def test_cache_root_falls_back_to_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache/rules_executorch"


def test_entry_is_made_once(tmp_path: Path) -> None:
    assert publish(tmp_path / "entry", _write)
    assert not publish(tmp_path / "entry", _write)
    assert (tmp_path / "entry/content").read_text() == "complete"


def test_failure_leaves_no_entry(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        _write(folder)
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError):
        publish(tmp_path / "entry", fail)
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_leftover_of_a_killed_process_is_replaced(tmp_path: Path) -> None:
    leftover = tmp_path / ".entry.part-1234"
    leftover.mkdir()
    publish(tmp_path / "entry", _write)
    assert not leftover.exists()


def test_two_processes_make_an_entry_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    arguments = (str(tmp_path / "entry"), str(log))
    processes = [multiprocessing.Process(target=_publish_slowly, args=arguments) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert log.read_text() == "made\n"
