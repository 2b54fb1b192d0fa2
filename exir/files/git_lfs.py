"""Detect files that Git LFS has not fetched.

Such a file is a pointer of a few lines. The Git LFS specification (`docs/spec.md`) defines its
format.
"""

from pathlib import Path

NOT_FETCHED = "is a pointer of Git LFS, not the file itself: fetch it with `git lfs pull`"

_FIRST_LINE = b"version https://git-lfs.github.com/spec/"


def is_pointer(path: Path) -> bool:
    """Return whether the file at `path` is a pointer. False if it is not readable."""
    try:
        with path.open("rb") as file:
            return file.read(len(_FIRST_LINE)) == _FIRST_LINE
    except OSError:
        return False
