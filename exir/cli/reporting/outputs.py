"""Writing a compilation's outputs so that either all of them exist, whole, or none."""

from collections.abc import Mapping
from pathlib import Path

from exir.files import Write, write_files


def write_outputs(outputs: Mapping[Path, Write]) -> None:
    """Write every file; after a failure none is there, those of an earlier run neither."""
    try:
        write_files(outputs)
    except BaseException:
        for path in outputs:
            path.unlink(missing_ok=True)
        raise
