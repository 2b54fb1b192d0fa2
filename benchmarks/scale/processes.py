"""Measure processor time and worker memory of a Bazel server and its children."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAUSE = 0.5
_WORKER = b"exir/cli/start.py"


def processor_seconds(server: int) -> float:
    """Return the processor time of the server and its children, including ended ones."""
    return sum(map(_ticks, _family(server))) / _TICKS


class WorkerMemory:
    """Record the combined peak memory of all workers, in bytes, while the block runs."""

    def __init__(self, server: int):
        self._server = server
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.peak = 0

    def __enter__(self) -> WorkerMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(_PAUSE):
            workers = [process for process in _family(self._server) if _WORKER in _read(process, "cmdline")]
            self.peak = max(self.peak, sum(map(_proportional_bytes, workers)))


def _family(process: int) -> Iterator[int]:
    yield process
    for thread in _threads(process):
        for child in _read(process, f"task/{thread}/children").split():
            yield from _family(int(child))


def _ticks(process: int) -> int:
    """Read the times of a process and its reaped children: fields 14 to 17 of `stat`.

    Field 2 can contain spaces.
    """
    fields = _read(process, "stat").rpartition(b")")[2].split()
    return sum(map(int, fields[11:15]))


def _proportional_bytes(process: int) -> int:
    """Return proportional memory, because a forked process shares most of its pages."""
    for line in _read(process, "smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _threads(process: int) -> list[str]:
    """Return None if the process has ended."""
    try:
        return os.listdir(f"/proc/{process}/task")
    except OSError:
        return []


def _read(process: int, name: str) -> bytes:
    """Return a file of a process; empty if the process has ended."""
    try:
        return Path(f"/proc/{process}/{name}").read_bytes()
    except OSError:
        return b""
