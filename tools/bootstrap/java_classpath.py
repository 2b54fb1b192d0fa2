"""The class path of Debian's Bazel server, for packages in a private folder.

Debian's Bazel reads a list of jars with absolute paths when it starts. Manifests of jars refer to further
jars by relative paths. The server's launcher does not follow these references, so the list must contain all
jars that are reachable.
"""

import os
import zipfile
from collections import deque
from collections.abc import Iterable
from pathlib import Path


def closed_class_path(root: Path, seeds: Iterable[str]) -> list[Path]:
    """Return the jars under `root` that are reachable from `seeds`, seeds first.

    Seeds are absolute paths, relative to `root`.
    """
    found: dict[Path, None] = {}
    queue = deque(seeds)
    while queue:
        jar = _inside(root, queue.popleft()).resolve()
        if jar in found or not jar.is_file():
            continue
        found[jar] = None
        queue.extend(_manifest_class_path(root, jar))
    return list(found)


def _inside(root: Path, path: str) -> Path:
    return root / path.lstrip("/")


def _manifest_class_path(root: Path, jar: Path) -> list[str]:
    folder = "/" / jar.parent.relative_to(root.resolve())
    entries = _manifest(jar).get("class-path", "").split()
    return [os.path.normpath(folder / entry.removeprefix("file:")) for entry in entries]


def _manifest(jar: Path) -> dict[str, str]:
    """Return the main attributes of a jar's manifest, with names in lower case.

    The result is empty without a manifest.
    """
    try:
        with zipfile.ZipFile(jar) as archive:
            text = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (KeyError, zipfile.BadZipFile):
        return {}
    unfolded = text.replace("\r\n", "\n").replace("\n ", "")
    pairs = (line.split(":", 1) for line in unfolded.splitlines() if ":" in line)
    return {name.strip().lower(): value.strip() for name, value in pairs}
