"""Detect damage to the folder of installed packages.

This module does not import torch, because it is used if torch cannot be imported.
"""

import os
import sys
from pathlib import Path

# A file next to the folder, with a line for each installed file: its size and its path
# (rules/private/repository/install_environment.py).
_CONTENTS = "contents"


def damage_note() -> str:
    """Return a line about missing package files and the remedy, or ""."""
    for path in sys.path:
        site = Path(os.path.realpath(path))
        damaged = _damaged_files(site)
        if damaged:
            more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
            return (
                f"the folder of Python packages {site} is damaged ({damaged[0]}{more}); run `bazel "
                "clean --expunge` and build again\n"
            )
    return ""


def _damaged_files(site: Path) -> list[str]:
    try:
        lines = site.with_name(_CONTENTS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [
        path
        for size, path in (line.split(" ", 1) for line in lines)
        if not _has_size(site / path, int(size))
    ]


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False
