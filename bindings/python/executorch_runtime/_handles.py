"""Handles for C memory, and locks that survive a fork."""

from __future__ import annotations

import atexit
import os
import reprlib
import time
import weakref
from threading import Lock, get_ident
from threading import enumerate as enumerate_threads
from types import TracebackType
from typing import NoReturn

from executorch_runtime.errors import ExecutorchError

_MAX_EXIT_SECONDS = 1.0
_DRAIN_SECONDS = 0.1
_locks: weakref.WeakSet[CallLock] = weakref.WeakSet()


class Uncopied:
    """An object that owns memory of the C runtime.

    It cannot be copied or pickled, because a copy would free the memory twice.
    """

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        kind = type(self).__name__
        raise TypeError(f"a {kind} cannot be copied or pickled; open the file and load the method again")


class CallLock:
    """The lock of a method and of all methods that share its buffers."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_lost = False
        self._exit_thread: int | None = None  # thread that holds the lock until exit; it can still call
        _locks.add(self)

    def __enter__(self) -> None:
        if self._is_lost:
            raise ExecutorchError(
                "INVALID_STATE", "the method was in use when the process forked; load it again in the child"
            )
        if self._exit_thread != get_ident():
            self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._exit_thread != get_ident():
            self._lock.release()

    def note_fork(self) -> None:
        """In a forked child, mark a locked lock as lost: its thread is in the parent."""
        self._is_lost = self._is_lost or self._lock.locked()

    def stop(self, timeout: float) -> None:
        """Wait up to `timeout` seconds for the running call, then prevent new calls.

        Only the current thread can still call.
        """
        if self._lock.acquire(timeout=max(timeout, 0)):
            self._exit_thread = get_ident()


class _Process:
    """The state of this process."""

    fork_count = 0


def fork_count() -> int:
    """Return the number of forks between the first process and this one.

    Threads that C code started in an earlier process do not exist in this one.
    """
    return _Process.fork_count


def _note_fork() -> None:
    _Process.fork_count += 1
    for lock in list(_locks):
        lock.note_fork()


def _stop_calls() -> None:
    """Stop calls at exit.

    If the interpreter ended a daemon thread that is executing torch's code, the process would
    crash.
    """
    deadline = time.monotonic() + _MAX_EXIT_SECONDS
    for lock in list(_locks):
        lock.stop(deadline - time.monotonic())
    if any(thread.daemon for thread in enumerate_threads()):
        # A thread that returns from a call still frees its outputs, possibly in torch's code.
        time.sleep(_DRAIN_SECONDS)


os.register_at_fork(after_in_child=_note_fork)
atexit.register(_stop_calls)


def c_string(what: str, text: str | bytes) -> bytes:
    """Encode a string for C. Raise ValueError for a NUL, at which C would truncate it."""
    found = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    if b"\0" in found:
        raise ValueError(f"{what} has a NUL character: {reprlib.repr(text)}; remove it")
    return found


def python_string(text: bytes) -> str:
    """Decode a C string that might not be UTF-8. c_string restores the same bytes."""
    return text.decode(errors="surrogateescape")
