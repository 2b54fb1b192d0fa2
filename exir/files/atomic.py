"""Write files atomically, so that readers never see partial content."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

# A function that writes the content of one file.
Write = Callable[[BinaryIO], object]

_SUFFIX = ".partial"


def write_files(outputs: Mapping[Path, Write]) -> None:
    """Write every file to a temporary name, then rename all of them.

    If one file cannot be written, none is renamed, and the old files remain.
    """
    try:
        for path, write in outputs.items():
            with open(_temporary_path(path), "wb") as file:
                write(file)
        for path in outputs:
            os.replace(_temporary_path(path), path)
    except BaseException:
        for path in outputs:
            _temporary_path(path).unlink(missing_ok=True)
        raise


def write_outputs(outputs: Mapping[Path, Write]) -> None:
    """Write every file.

    After a failure, none exists, not even one from an earlier run.
    """
    try:
        write_files(outputs)
    except BaseException:
        for path in outputs:
            path.unlink(missing_ok=True)
        raise


def _temporary_path(path: Path) -> Path:
    """Return a temporary name that is unique to this process."""
    return path.with_name(f"{path.name}.{os.getpid()}{_SUFFIX}")
