"""Write zip files whose bytes depend only on their contents."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

_DATE = (1980, 1, 1, 0, 0, 0)


def write_archive(path: Path | BinaryIO, files: Mapping[str, bytes]) -> None:
    """Write a zip file with `files`, contents by name, in the order of their names."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED, 6)
