"""Measure the memory growth of a function call."""

from __future__ import annotations

import ctypes
import os
import re
import traceback
from collections.abc import Callable
from pathlib import Path


def _anonymous() -> int:
    """Return anonymous resident bytes of this process."""
    found = re.search(r"^Anonymous:\s+(\d+) kB", Path("/proc/self/smaps_rollup").read_text(), re.MULTILINE)
    assert found is not None, "/proc/self/smaps_rollup has no line 'Anonymous'"
    return int(found[1]) << 10


def growth(work: Callable[[], object]) -> int:
    """Return the anonymous memory that `work` and its result need.

    `work` runs in a fork of this process. The fork first returns freed memory to the system, so
    that reused memory counts. Import the modules that `work` needs beforehand.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _report(work, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0 or not text:
        raise RuntimeError("the process that measures memory failed; see its output above")
    return int(text)


def _report(work: Callable[[], object], writing: int) -> None:
    """Write the growth, and end the process. Open files belong to the parent process."""
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
