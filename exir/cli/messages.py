"""From an exception to what the user reads and the process's exit code."""

import traceback

from exir.error import InternalError, PassError, UserError

EXIT_OK = 0
EXIT_USER_ERROR = 1
EXIT_INTERNAL_ERROR = 2


def explain(error: BaseException, target: str, with_traceback: bool) -> tuple[str, int]:
    """One message that begins with the target, and the exit code.

    A user's error is its own text; anything else is ours and comes with a traceback.
    """
    if _is_users(error):
        text, code = f"error: {target}: {_text(error)}\n", EXIT_USER_ERROR
    else:
        text = f"internal error: {target}: {type(error).__name__}: {_text(error)}\n"
        code = EXIT_INTERNAL_ERROR
        with_traceback = True
    trace = "".join(traceback.format_exception(error)) if with_traceback else ""
    return trace + text, code


def _is_users(error: BaseException) -> bool:
    """Whether the user can mend it; a pass that failed is as its cause."""
    if isinstance(error, PassError) and error.__cause__ is not None:
        return _is_users(error.__cause__)
    return isinstance(error, UserError)


def _text(error: BaseException) -> str:
    notes = "".join(f"\n    {note}" for note in getattr(error, "__notes__", ()))
    return str(error) + notes
