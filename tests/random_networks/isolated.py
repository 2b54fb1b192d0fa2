"""Runs functions that can crash or hang in a child process."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

_FORK = multiprocessing.get_context("fork")
_T = TypeVar("_T")


class ProcessEnded(Exception):
    """The attempt failed; the message states an exception, a crash or a timeout."""


def run_isolated(attempt: Callable[[], _T], seconds: float) -> _T:
    """Return the result of `attempt`. Raises `Ended`."""
    ours, theirs = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_send, args=(attempt, theirs))
    child.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise ProcessEnded(f"it took more than {seconds:.0f} s")
        answer, refusal = ours.recv()
        if refusal is not None:
            raise ProcessEnded(refusal)
        return answer
    except EOFError as error:
        child.join()
        raise ProcessEnded(f"the process ended with {child.exitcode}") from error
    finally:
        child.kill()
        child.join()
        ours.close()


def _send(attempt: Callable[[], Any], pipe: Connection) -> None:
    try:
        pipe.send((attempt(), None))
    except Exception as error:
        pipe.send((None, f"{type(error).__name__}: {error}"))
