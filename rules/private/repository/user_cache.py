"""The user's cache folder of this project, and how things get into it.

Whatever is expensive to make (a Bazel, a Python environment) is made once a machine and user and kept in
`${XDG_CACHE_HOME:-$HOME/.cache}/rules_executorch`. An entry is complete if its folder exists: it is made in a
temporary folder beside its place and renamed as the last step, so an interruption leaves nothing that could be
taken for it, and a lock keeps two processes from making the same entry at once.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


def cache_root() -> Path:
    """The project's cache folder; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rules_executorch"


def publish(
    entry: Path,
    make: Callable[[Path], None],
    check: Callable[[Path], None] | None = None,
    is_intact: Callable[[Path], bool] | None = None,
) -> bool:
    """Fill `entry` by calling `make(temporary folder)`, unless it exists and is intact.

    `is_intact(entry)` runs under the entry's lock; an entry that is not intact is made again. `check(entry)` runs when the
    entry is in its place. Returns whether `make` was called. An exception of either is passed on and leaves no entry.
    """
    if entry.exists() and check is None and is_intact is None:
        return False
    entry.parent.mkdir(parents=True, exist_ok=True)
    with _lock(entry):
        if entry.exists() and is_intact is not None and not is_intact(entry):
            shutil.rmtree(entry)
        made = not entry.exists()
        if made:
            _remove_abandoned(entry)
            _make_and_rename(entry, make)
        if check is not None:
            _check_or_remove(entry, check)
    return made


def provide(cached: Path, folder: Path) -> None:
    """Make `folder` hold what `cached` does, by hard links; where the disks differ it is a link itself."""
    try:
        shutil.copytree(cached, folder, symlinks=True, copy_function=os.link)
    except (OSError, shutil.Error):  # another disk, or one without hard links
        shutil.rmtree(folder, ignore_errors=True)
        folder.symlink_to(cached)


def _check_or_remove(entry: Path, check: Callable[[Path], None]) -> None:
    try:
        check(entry)
    except BaseException:
        shutil.rmtree(entry, ignore_errors=True)
        raise


def _make_and_rename(entry: Path, make: Callable[[Path], None]) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=_temporary_prefix(entry), dir=entry.parent))
    try:
        make(temporary)
        temporary.chmod(0o755)
        temporary.rename(entry)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _temporary_prefix(entry: Path) -> str:
    return f".{entry.name}.part-"


def _remove_abandoned(entry: Path) -> None:
    """Delete what a killed process left; the lock says that none is at work."""
    for leftover in entry.parent.glob(f"{_temporary_prefix(entry)}*"):
        shutil.rmtree(leftover, ignore_errors=True)


@contextlib.contextmanager
def _lock(entry: Path) -> Iterator[None]:
    with open(entry.parent / f".{entry.name}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
