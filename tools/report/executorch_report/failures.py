"""Messages about files that cannot be read."""

from __future__ import annotations

from pathlib import Path

from exir.base_error import InvalidProgramError
from exir.files.unreadable import no_program


def failure(path: Path, error: Exception) -> str:
    """Return `<path>: <what is wrong>`, with a remedy if the file is not a program.

    For an OSError, the path is the one in the error.
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or path}: {error.strerror}"
    if isinstance(error, InvalidProgramError):
        return no_program(path, error)
    return f"{path}: {error}"
