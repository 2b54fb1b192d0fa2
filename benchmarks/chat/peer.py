"""Run one side of a comparison in its own process.

If it crashes, the others continue.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from typing import Any


class PeerError(Exception):
    """The side cannot be started, raised an exception, or crashed."""


class Peer:
    """A side in a child process, in which `make` creates it.

    Start peers before the parent loads libraries, because the child is a fork.
    """

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.name = name
        self._make = make

    def start(self) -> None:
        """Start the process. Raises `PeerError` if `make` fails."""
        context = multiprocessing.get_context("fork")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._make, child_pipe), daemon=True)
        self._process.start()
        child_pipe.close()
        self._answer()

    def call(self, method: str, *args: Any) -> Any:
        """Return the result of `side.method(*args)`. Raises `PeerError`."""
        return self.run(_call_method, method, args)

    def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return `function(side, *args)`, computed in the child. Raises `PeerError`."""
        try:
            self._pipe.send((function, args))
        except OSError:
            pass  # the process has crashed; `_answer` reports the cause
        return self._answer()

    def stop(self) -> None:
        self._process.kill()
        self._process.join()

    def _answer(self) -> Any:
        try:
            error, result = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            raise PeerError(f"crashed with {_exit_name(self._process.exitcode)}") from None
        if error is not None:
            raise PeerError(error)
        return result


def _exit_name(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return signal.Signals(-exit_code).name
    return f"exit code {exit_code}"


def _call_method(side: Any, method: str, args: tuple[Any, ...]) -> Any:
    return getattr(side, method)(*args)


def _serve(make: Callable[[], Any], pipe: Any) -> None:
    """Answer with (error, result): first for `make`, then for each request."""
    try:
        side = make()
        pipe.send((None, None))
    except Exception as error:
        pipe.send((f"{type(error).__name__}: {error}", None))
        return
    while True:
        function, args = pipe.recv()
        try:
            pipe.send((None, function(side, *args)))
        except Exception as error:
            pipe.send((f"{type(error).__name__}: {error}", None))
