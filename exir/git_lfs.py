"""Files that Git LFS has not fetched: a pointer of a few lines lies in their place.

The pointer's form: the specification of Git LFS, `docs/spec.md`.
"""

from pathlib import Path

NOT_FETCHED = "is a pointer of Git LFS, not the file itself: fetch it with `git lfs pull`"

_FIRST_LINE = b"version https://git-lfs.github.com/spec/"


def is_pointer(path: Path) -> bool:
    """Whether the file at `path` is such a pointer; `False` where there is no file that can be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_FIRST_LINE)) == _FIRST_LINE
    except OSError:
        return False
