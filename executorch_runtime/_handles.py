"""What programs and methods have in common: handles of C memory, and locks that survive a fork."""

from __future__ import annotations

import atexit
import os
import time
import weakref
from threading import Lock, get_ident
from threading import enumerate as enumerate_threads
from types import TracebackType
from typing import NoReturn

from executorch_runtime.errors import ExecutorchError

_MOST_EXIT_SECONDS = 1.0
_DRAIN_SECONDS = 0.1
_locks: weakref.WeakSet[CallLock] = weakref.WeakSet()


class Uncopied:
    """An object that owns memory of the C runtime: a copy would free the memory twice."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        kind = type(self).__name__
        raise TypeError(f"a {kind} cannot be copied or pickled; open the file and load the method again")


class CallLock:
    """The lock around calls of a method, and of the methods that share its buffers."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_lost = False
        self._exit_thread: int | None = None  # holds the lock for ever, and may still call
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
        """In a child: the thread that holds the lock is not there, and never releases it."""
        self._is_lost = self._is_lost or self._lock.locked()

    def stop(self, timeout: float) -> None:
        """Lets the call that runs end, if it does so in time, and keeps other threads from beginning one."""
        if self._lock.acquire(timeout=max(timeout, 0)):
            self._exit_thread = get_ident()


class _Process:
    """This process."""

    fork_count = 0


def fork_count() -> int:
    """How often this process is the child of a fork. Threads of C that an earlier process started are gone."""
    return _Process.fork_count


def _note_fork() -> None:
    _Process.fork_count += 1
    for lock in list(_locks):
        lock.note_fork()


def _stop_calls() -> None:
    """At exit: a daemon thread that the interpreter ends within torch's code would end the process with a crash."""
    deadline = time.monotonic() + _MOST_EXIT_SECONDS
    for lock in list(_locks):
        lock.stop(deadline - time.monotonic())
    if any(thread.daemon for thread in enumerate_threads()):
        time.sleep(_DRAIN_SECONDS)  # threads that left a call free its outputs, in torch's code too


os.register_at_fork(after_in_child=_note_fork)
atexit.register(_stop_calls)


def c_string(what: str, text: str | bytes) -> bytes:
    """The text as C takes it. ValueError for a NUL, where C would cut it off."""
    found = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    if b"\0" in found:
        raise ValueError(f"{what} has a NUL character: {text!r}; remove it")
    return found


def python_string(text: bytes) -> str:
    """A name of a file, which need not be UTF-8. c_string gives the same bytes again."""
    return text.decode(errors="surrogateescape")
