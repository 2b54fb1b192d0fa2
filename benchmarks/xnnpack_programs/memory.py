"""What memory a piece of work takes."""

from __future__ import annotations

import ctypes
import os
import re
import traceback
from collections.abc import Callable
from pathlib import Path


def _anonymous() -> int:
    """Bytes of this process that are in memory and of no file."""
    found = re.search(r"^Anonymous:\s+(\d+) kB", Path("/proc/self/smaps_rollup").read_text(), re.MULTILINE)
    assert found is not None, "/proc/self/smaps_rollup has no line 'Anonymous'"
    return int(found[1]) << 10


def growth(work: Callable[[], object]) -> int:
    """Bytes of no file by which a process grows that does `work` and holds what it returns.

    It is a copy of this one, which gives back what work before has freed: room that is left would not count. What `work` needs should
    have been imported.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _report(work, writing)
    os.close(writing)
    with os.fdopen(reading) as told:
        text = told.read()
    _, status = os.waitpid(child, 0)
    if status != 0 or not text:
        raise RuntimeError("the process that measures memory failed; what it printed says why")
    return int(text)


def _report(work: Callable[[], object], writing: int) -> None:
    """Does not return: what is open belongs to the other process."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        before = _anonymous()
        held = work()
        os.write(writing, str(_anonymous() - before).encode())
        del held
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
