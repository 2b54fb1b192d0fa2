"""Error messages for files that a library cannot read."""

from pathlib import Path


def why_unreadable(path: Path, purpose: str, error: Exception) -> str:
    """Return one line: the path, its purpose, and the first line of the error."""
    reason = str(error).strip().splitlines()
    return f"{path} cannot be read as {purpose}: {reason[0] if reason else type(error).__name__}"
