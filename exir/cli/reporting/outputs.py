"""Writing output files so that either all of them exist, whole, or none."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

# Writes one file's bytes.
Write = Callable[[BinaryIO], object]

_SUFFIX = ".partial"


def write_outputs(outputs: Mapping[Path, Write]) -> None:
    """Write every file beside its place, then move all of them there."""
    try:
        for path, write in outputs.items():
            with open(_partial(path), "wb") as file:
                write(file)
        for path in outputs:
            os.replace(_partial(path), path)
    except BaseException:
        for path in outputs:
            _partial(path).unlink(missing_ok=True)
            path.unlink(missing_ok=True)
        raise


def _partial(path: Path) -> Path:
    return path.with_name(path.name + _SUFFIX)
