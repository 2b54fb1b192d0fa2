"""Errors of the runtime as Python exceptions."""

from __future__ import annotations

import ctypes
from typing import Any

from executorch_runtime._native import Error


class ExecutorchError(Exception):
    """An error of the runtime.

    `status` is the name of the status ("INVALID_PROGRAM"); the message names the invalid element.
    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message

    def __reduce__(self) -> tuple[type[ExecutorchError], tuple[str, str]]:
        """Support pickling, so that exceptions can be passed to other processes."""
        return type(self), (self.status, self.message)


def checked(calls: ctypes.CDLL, function: str, *arguments: Any) -> None:
    """Call a function of the runtime whose last argument is an `et_error`."""
    error = Error()
    status = getattr(calls, function)(*arguments, ctypes.byref(error))
    if status:
        text = error.message or calls.et_status_text(status)
        raise ExecutorchError(calls.et_status_name(status).decode(), text.decode(errors="replace"))
