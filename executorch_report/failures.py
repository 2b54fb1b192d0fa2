"""What the programs here say of a file that they cannot use."""

from __future__ import annotations

from pathlib import Path

from exir.base_error import InvalidProgramError
from exir.plan.no_program import no_program


def failure(path: Path, error: Exception) -> str:
    """`<path>: <what is wrong>`, and what to do; of what the system refuses, the file that it names instead, and why."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or path}: {error.strerror}"
    if isinstance(error, InvalidProgramError):
        return no_program(path, error)
    return f"{path}: {error}"
