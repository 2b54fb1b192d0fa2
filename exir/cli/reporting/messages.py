"""Convert an exception to the user's message and the exit code."""

import traceback
from pathlib import Path

from exir.cli.loading.user_code import describe, user_lines
from exir.cli.reporting.packages import damage_note
from exir.error import ExirError, PassError, UserError

EXIT_OK = 0
EXIT_USER_ERROR = 1
EXIT_INTERNAL_ERROR = 2


def explain(
    error: BaseException, target: str, with_traceback: bool, roots: tuple[Path, ...] = ()
) -> tuple[str, int]:
    """Return one message that begins with the target, and the exit code.

    A user error is shown as its own text. Exceptions from the user's passes and backends (files
    below `roots`) are also user errors. Any other exception is an internal error, and is shown with
    a traceback.
    """
    cause = _root_cause(error)
    if isinstance(cause, UserError):
        text, exit_code = f"error: {target}: {error}\n", EXIT_USER_ERROR
    elif not isinstance(cause, ExirError) and user_lines(cause, roots):
        text, exit_code = f"error: {target}: {describe(cause, roots)}\n", EXIT_USER_ERROR
    else:
        remedy = damage_note() or "this is a bug of the compiler; report it with this output\n"
        text = f"internal error: {target}: {type(error).__name__}: {error}\n{remedy}"
        exit_code, with_traceback = EXIT_INTERNAL_ERROR, True
    trace = "".join(traceback.format_exception(error)) if with_traceback else ""
    return trace + text, exit_code


def _root_cause(error: BaseException) -> BaseException:
    """Return the original error of a failed pass."""
    if isinstance(error, PassError) and error.__cause__ is not None:
        return _root_cause(error.__cause__)
    return error
