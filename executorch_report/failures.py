"""What the programs here say of a file that they cannot use."""

from __future__ import annotations

from pathlib import Path

from exir.base_error import InvalidProgramError


def failure(path: Path, error: Exception) -> str:
    """`<path>: <what is wrong>`, and what to do; of what the system refuses, the file that it names instead, and why."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or path}: {error.strerror}"
    if isinstance(error, InvalidProgramError):
        return f"{path}: {error}\n  the file is damaged, or no ExecuTorch program: export or fetch it again"
    return f"{path}: {error}"
