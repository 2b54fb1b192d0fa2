"""Running a function in a forked child, with everything that it prints caught.

The child shares what the parent has imported and nothing that happens later: modules, random
state, torch's settings and registered operators end with it. The parent must have one thread
only, or a lock held by another would never be released in the child.
"""

import ctypes
import mmap
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from exir.cli.reporting.messages import EXIT_INTERNAL_ERROR
from exir.error import InternalError

_THREADS = Path("/proc/self/task")
_PR_SET_PDEATHSIG = 1
_OFFERED = "500"


@dataclass(frozen=True)
class Outcome:
    """How a child ended: its exit code (minus the signal that killed it), what it printed, and whether its function returned."""

    exit_code: int
    output: str
    returned: bool = True


def run_isolated(function: Callable[[], int]) -> Outcome:
    """The outcome of `function` in a child process. What the child leaves running is ended."""
    check_single_threaded()
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as output, mmap.mmap(-1, 1) as returned:
        child = os.fork()
        if child == 0:
            _be_child(function, output, returned)
        _, status = os.waitpid(child, 0)
        _end_group(child)
        output.seek(0)
        text = output.read().decode(errors="replace")
        return Outcome(os.waitstatus_to_exitcode(status), text, returned[0] != 0)


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
        exit_code = function()
    except BaseException:
        traceback.print_exc()
    finally:
        returned[0] = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_code)


def _redirect(output: BinaryIO) -> None:
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)


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
    """End what the child started and did not wait for."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
