"""Why a library could not read a file that a model needs."""

from pathlib import Path


def why_unreadable(path: Path, purpose: str, error: Exception) -> str:
    """One line: `path`, what it was to be read as, and the first line of what the library said."""
    reason = str(error).strip().splitlines()
    return f"{path} cannot be read as {purpose}: {reason[0] if reason else type(error).__name__}"
