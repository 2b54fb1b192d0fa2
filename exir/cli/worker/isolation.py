"""Run a function in a forked child, and capture all its output.

The child shares the modules that the parent has imported. Its later changes to modules, random
state, torch's settings and registered operators do not affect the parent. The parent must have only
one thread. Otherwise, a lock that another thread holds would never be released in the child.
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

# Only the end of the output is kept.
_OUTPUT_BYTES = 1 << 20

# Control characters except tab and newline, and characters that change the text direction.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Outcome:
    """The result of a child process.

    exit_code: its exit code, or minus the signal that killed it.
    output: its output, without control characters.
    returned: whether its function returned.
    timed_out: whether it was killed because of the timeout.
    """

    exit_code: int
    output: str
    returned: bool = True
    timed_out: bool = False


def run_isolated(function: Callable[[], int], timeout: float | None = None) -> Outcome:
    """Run `function` in a child process, which is killed after `timeout` seconds.

    Processes that the child left running are killed. On Linux, that includes those in other
    sessions.
    """
    check_single_threaded()
    sys.stdout.flush()
    sys.stderr.flush()
    _adopt_orphans(True)
    others = _child_pids()
    with tempfile.TemporaryFile() as output, mmap.mmap(-1, 1) as returned:
        child = os.fork()
        if child == 0:
            _be_child(function, output, returned)
        timed_out = not _wait_for_child(child, timeout)
        _end_group(child)
        _, status = os.waitpid(child, 0)
        _end_orphans(others)
        _adopt_orphans(False)
        text = _printable_tail(output)
        return Outcome(os.waitstatus_to_exitcode(status), text, returned[0] != 0, timed_out)


def _wait_for_child(child: int, timeout: float | None) -> bool:
    """Wait for `child` without reaping it. Returns False after `timeout` seconds."""
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


def _printable_tail(output: BinaryIO) -> str:
    """Return the end of the output, with control characters escaped."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _OUTPUT_BYTES))
    text = output.read().decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    left_out = size - _OUTPUT_BYTES
    return f"({left_out} earlier bytes of output are omitted)\n{text}" if left_out > 0 else text


def check_single_threaded() -> None:
    """Raise `InternalError` if forking is not safe."""
    count = len(os.listdir(_THREADS)) if _THREADS.exists() else threading.active_count()
    if count != 1:
        raise InternalError(f"the compiler's process has {count} threads and cannot fork safely")


def _be_child(function: Callable[[], int], output: BinaryIO, returned: mmap.mmap) -> NoReturn:
    """Run `function`, then exit the process without the parent's exit handlers.

    returned: memory shared with the parent. Its byte is set when the function ends.
    """
    exit_code = EXIT_INTERNAL_ERROR
    try:
        os.setsid()
        _end_with_parent()
        _prefer_as_oom_victim()
        _redirect_streams(output)
        streams = sys.stdout, sys.stderr
        try:
            exit_code = function()
        except BaseException:
            traceback.print_exc(file=streams[1])
        returned[0] = 1
        # The model can have replaced or closed either stream.
        for stream in {*streams, sys.stdout, sys.stderr}:
            with suppress(Exception):
                stream.flush()
    finally:
        os._exit(exit_code)


def _redirect_streams(output: BinaryIO) -> None:
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)


def _adopt_orphans(adopt: bool) -> None:
    """Have Linux reparent orphaned descendants to this process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def _child_pids() -> set[int]:
    """Return the ids of this process's children; none without /proc."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                found.add(int(path.parent.name))
    return found


def _end_orphans(others: set[int]) -> None:
    """Kill and reap all children except `others`.

    The children of a killed process become this process's children, so they are killed too.
    """
    while orphans := _child_pids() - others:
        for orphan in orphans:
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(orphan, 0)


def _end_with_parent() -> None:
    """Have Linux kill this process if the parent is killed during a request."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _prefer_as_oom_victim() -> None:
    """Have Linux kill this process, not its parent, if memory runs out."""
    try:
        Path("/proc/self/oom_score_adj").write_text(_OFFERED)
    except OSError:  # not Linux, or a container that forbids it
        pass


def _end_group(child: int) -> None:
    """Kill the child and its session. The child must not be reaped yet."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)
