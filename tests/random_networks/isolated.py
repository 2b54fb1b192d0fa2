"""Runs functions that can crash or hang in a child process."""

from __future__ import annotations

import math
import multiprocessing
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

_FORK = multiprocessing.get_context("fork")
_T = TypeVar("_T")
_ELAPSED = 10
"""The longest elapsed time, relative to the longest CPU time."""


class ProcessEnded(Exception):
    """The attempt failed; the message states an exception, a crash or a timeout."""


def run_isolated(attempt: Callable[[], _T], seconds: float) -> _T:
    """Return the result of `attempt`. Raises `ProcessEnded`.

    seconds: the limit of CPU time, which does not depend on other processes.
    """
    ours, theirs = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_send, args=(attempt, theirs, seconds))
    child.start()
    theirs.close()
    try:
        if not ours.poll(_ELAPSED * seconds):
            raise ProcessEnded(f"it took more than {_ELAPSED * seconds:.0f} s")
        answer, refusal = ours.recv()
        if refusal is not None:
            raise ProcessEnded(refusal)
        return answer
    except EOFError as error:
        child.join()
        if child.exitcode == -signal.SIGXCPU:
            raise ProcessEnded(f"it took more than {seconds:.0f} s of CPU time") from error
        raise ProcessEnded(f"the process ended with {child.exitcode}") from error
    finally:
        child.kill()
        child.join()
        ours.close()


def _send(attempt: Callable[[], Any], pipe: Connection, seconds: float) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), hard))
    try:
        pipe.send((attempt(), None))
    except Exception as error:
        pipe.send((None, f"{type(error).__name__}: {error}"))
