"""Writing files so that a reader never meets a part of one."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

# Writes one file's bytes.
Write = Callable[[BinaryIO], object]

_SUFFIX = ".partial"


def write_files(outputs: Mapping[Path, Write]) -> None:
    """Write every file beside its place, then move all of them there.

    When one cannot be written, none is moved: what stood in their places stays as it was.
    """
    try:
        for path, write in outputs.items():
            with open(_partial(path), "wb") as file:
                write(file)
        for path in outputs:
            os.replace(_partial(path), path)
    except BaseException:
        for path in outputs:
            _partial(path).unlink(missing_ok=True)
        raise


def _partial(path: Path) -> Path:
    """Of this process alone: two that write one file do not write into each other's."""
    return path.with_name(f"{path.name}.{os.getpid()}{_SUFFIX}")
