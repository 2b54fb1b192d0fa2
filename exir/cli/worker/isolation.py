"""Running a function in a forked child, with everything that it prints caught.

The child shares what the parent has imported and nothing that happens later: modules, random
state, torch's settings and registered operators end with it. The parent must have one thread
only, or a lock held by another would never be released in the child.
"""

import ctypes
import mmap
import os
import re
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from exir.cli.reporting.messages import EXIT_INTERNAL_ERROR
from exir.error import InternalError

_THREADS = Path("/proc/self/task")
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_OFFERED = "500"
_POLL_SECONDS = 0.01

# The part of the output that is kept, from its end.
_OUTPUT_BYTES = 1 << 20

# Control characters but tab and newline, and those that change the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Outcome:
    """How a child ended.

    exit_code: its own, or minus the signal that killed it. output: what it printed, without control characters.
    returned: its function returned. timed_out: it was killed at the end of its time.
    """

    exit_code: int
    output: str
    returned: bool = True
    timed_out: bool = False


def run_isolated(function: Callable[[], int], timeout: float | None = None) -> Outcome:
    """The outcome of `function` in a child process, which is killed after `timeout` seconds.

    Processes that the child started and left running are killed, on Linux also those in sessions of their own.
    """
    check_single_threaded()
    sys.stdout.flush()
    sys.stderr.flush()
    _adopt_orphans(True)
    others = _children()
    with tempfile.TemporaryFile() as output, mmap.mmap(-1, 1) as returned:
        child = os.fork()
        if child == 0:
            _be_child(function, output, returned)
        timed_out = not _wait(child, timeout)
        _end_group(child)
        _, status = os.waitpid(child, 0)
        _end_orphans(others)
        _adopt_orphans(False)
        text = _printable(output)
        return Outcome(os.waitstatus_to_exitcode(status), text, returned[0] != 0, timed_out)


def _wait(child: int, timeout: float | None) -> bool:
    """Wait for the end of `child` without reaping it. Returns False if it still runs after `timeout` seconds."""
    if hasattr(os, "pidfd_open"):
        handle = os.pidfd_open(child)
        try:
            poller = select.poll()
            poller.register(handle, select.POLLIN)
            return bool(poller.poll(None if timeout is None else timeout * 1000))
        finally:
            os.close(handle)
    end = None if timeout is None else time.monotonic() + timeout
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if end is not None and time.monotonic() > end:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _printable(output: BinaryIO) -> str:
    """The end of what was printed, with escape codes made visible."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _OUTPUT_BYTES))
    text = output.read().decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    left_out = size - _OUTPUT_BYTES
    return f"({left_out} bytes of output before this are left out)\n{text}" if left_out > 0 else text


def check_single_threaded() -> None:
    """Raise `InternalError` when forking is not safe."""
    count = len(os.listdir(_THREADS)) if _THREADS.exists() else threading.active_count()
    if count != 1:
        raise InternalError(f"the compiler's process has {count} threads and cannot fork safely")


def _be_child(function: Callable[[], int], output: BinaryIO, returned: mmap.mmap) -> NoReturn:
    """Run `function` and end the process, whatever happens, without the parent's exit handlers.

    `returned` is memory that the parent sees; its byte is set when the function has come to its end.
    """
    exit_code = EXIT_INTERNAL_ERROR
    try:
        os.setsid()
        _end_with_parent()
        _offer_for_memory()
        _redirect(output)
        streams = sys.stdout, sys.stderr
        try:
            exit_code = function()
        except BaseException:
            traceback.print_exc(file=streams[1])
        returned[0] = 1
        # The model may have replaced or closed either.
        for stream in {*streams, sys.stdout, sys.stderr}:
            with suppress(Exception):
                stream.flush()
    finally:
        os._exit(exit_code)


def _redirect(output: BinaryIO) -> None:
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)


def _adopt_orphans(adopt: bool) -> None:
    """Have Linux make processes whose parents ended children of this process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def _children() -> set[int]:
    """The ids of this process's children; empty where there is no /proc."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                found.add(int(path.parent.name))
    return found


def _end_orphans(others: set[int]) -> None:
    """Kill and reap all children but `others`. Killing one makes its children this process's."""
    while orphans := _children() - others:
        for orphan in orphans:
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(orphan, 0)


def _end_with_parent() -> None:
    """Have Linux end this process when the parent is killed in the middle of a request."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _offer_for_memory() -> None:
    """Have Linux end this process, not its parent, when memory runs out."""
    try:
        Path("/proc/self/oom_score_adj").write_text(_OFFERED)
    except OSError:  # no Linux, or a container that forbids it
        pass


def _end_group(child: int) -> None:
    """Kill the child, which is not reaped yet, and what it started in its session."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)
