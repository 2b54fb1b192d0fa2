"""Error messages for files that cannot be read.

Git LFS leaves a pointer of a few lines in place of a file that it has not fetched. The Git LFS
specification (`docs/spec.md`) defines its format.
"""

from __future__ import annotations

from pathlib import Path

from exir.base_error import InvalidProgramError

NOT_FETCHED = "is a Git LFS pointer instead of the file; fetch it with `git lfs pull`"

_FIRST_LINE = b"version https://git-lfs.github.com/spec/"


def is_pointer(path: Path) -> bool:
    """Return whether the file at `path` is a pointer; false if it is not readable."""
    try:
        with path.open("rb") as file:
            return file.read(len(_FIRST_LINE)) == _FIRST_LINE
    except OSError:
        return False


def why_unreadable(path: Path, purpose: str, error: Exception) -> str:
    """Return one line: the path, its purpose, and the first line of the error."""
    reason = str(error).strip().splitlines()
    return f"{path}: cannot be read as {purpose}: {reason[0] if reason else type(error).__name__}"


def invalid_program_message(path: Path, error: InvalidProgramError) -> str:
    """Return a message with the file, the fault and the remedy."""
    if is_pointer(path):
        return f"{path} {NOT_FETCHED}"
    return f"{path}: not a valid ExecuTorch program: {error}\n  export or download it again"


def failure(path: Path, error: Exception) -> str:
    """Return `<path>: <what is wrong>`, with a remedy if the file is not a program.

    For an OSError, the path is the one in the error.
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or path}: {error.strerror}"
    if isinstance(error, InvalidProgramError):
        return invalid_program_message(path, error)
    return f"{path}: {error}"
