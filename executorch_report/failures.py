"""What the programs here say of a file that they cannot use."""

from __future__ import annotations

from pathlib import Path


def failure(path: Path, error: Exception) -> str:
    """`<path>: <what is wrong>`; of what the system refuses, the file that it names instead, and why."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or path}: {error.strerror}"
    return f"{path}: {error}"
