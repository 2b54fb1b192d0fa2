"""The user's cache folder of this project, and functions that add entries.

Expensive results, such as a Bazel or a Python environment, are created once per user and machine,
and stored in `${XDG_CACHE_HOME:-$HOME/.cache}/rules_executorch`. An entry whose folder exists is
complete: it is created in a temporary folder next to its final path, then renamed, so an
interruption does not leave an incomplete entry. A lock prevents two processes from creating the
same entry.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


def cache_root() -> Path:
    """Return the project's cache folder, which might not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rules_executorch"


def publish(
    entry: Path,
    make: Callable[[Path], None],
    check: Callable[[Path], None] | None = None,
    is_intact: Callable[[Path], bool] | None = None,
) -> bool:
    """Fill `entry` by calling `make(temporary folder)`, unless it is intact.

    Returns true if `make` was called. `is_intact(entry)` runs with the entry's lock held; a damaged
    entry is created again. `check(entry)` runs when the entry is at its final path. An exception
    from `make` or `check` propagates, and the entry is not created.
    """
    if entry.exists() and check is None and is_intact is None:
        return False
    entry.parent.mkdir(parents=True, exist_ok=True)
    with _entry_lock(entry):
        if entry.exists() and is_intact is not None and not is_intact(entry):
            shutil.rmtree(entry)
        is_missing = not entry.exists()
        if is_missing:
            _remove_abandoned(entry)
            _make_and_rename(entry, make)
        if check is not None:
            _check_or_remove(entry, check)
    return is_missing


def provide(cached: Path, folder: Path) -> None:
    """Fill `folder` with hard links to the files of `cached`.

    If hard links are impossible, such as between disks, `folder` is a symbolic link.
    """
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
    """Delete temporary folders of killed processes.

    The caller holds the entry's lock, so no running process uses them.
    """
    for leftover in entry.parent.glob(f"{_temporary_prefix(entry)}*"):
        shutil.rmtree(leftover, ignore_errors=True)


@contextlib.contextmanager
def _entry_lock(entry: Path) -> Iterator[None]:
    with open(entry.parent / f".{entry.name}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
