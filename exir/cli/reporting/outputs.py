"""Write the outputs of a compilation: all of them, or none."""

from collections.abc import Mapping
from pathlib import Path

from exir.files.atomic import Write, write_files


def write_outputs(outputs: Mapping[Path, Write]) -> None:
    """Write every file. After a failure, none exists, not even from an earlier run."""
    try:
        write_files(outputs)
    except BaseException:
        for path in outputs:
            path.unlink(missing_ok=True)
        raise
