"""Pack headers, static libraries and CMake files into a .tar.gz archive.

Usage: `python3 -m tools.sdk.pack --module MODULE.bazel FILE… OUT.tar.gz`

The archive has one folder, `executorch-VERSION`. Equal inputs make equal archives.
"""

from __future__ import annotations

import argparse
import gzip
import io
import re
import sys
import tarfile
from pathlib import Path, PurePosixPath

_VERSION = re.compile(r'^\s+version = "([^"]+)",$', re.MULTILINE)
_ROOT = re.compile(r"^(bazel-out/[^/]+/bin/)?(external/[^/]+/)?")


def destination(path: str) -> str:
    """Return the place in the archive of a path below the execution root."""
    place = PurePosixPath(_ROOT.sub("", path))
    if place.suffix in (".a", ".lo"):
        # Bazel names a library .lo if programs must link all of it.
        folder = "lib/executorch" if place.suffix == ".a" else "lib/executorch/whole"
        return f"{folder}/lib{'_'.join(place.parent.parts)}_{place.stem.removeprefix('lib')}.a"
    if place.suffix == ".cmake":
        return f"lib/cmake/executorch/{place.name}"
    if place.suffix in (".h", ".hpp"):
        return f"include/{str(place).rpartition('/include/')[2]}"
    return place.name


def pack(files: list[str], version: str) -> bytes:
    """Return the archive. Raises ValueError if two files have the same place."""
    places: dict[str, str] = {}
    for file in files:
        place = destination(file)
        if place in places:
            raise ValueError(f"{file} and {places[place]} have the same place in the archive: {place}")
        places[place] = file
    archive = io.BytesIO()
    with gzip.GzipFile(fileobj=archive, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for place, file in sorted(places.items()):
            content = Path(file).read_bytes()
            if place.endswith("ConfigVersion.cmake"):
                content = content.replace(b"@VERSION@", version.encode())
            entry = tarfile.TarInfo(f"executorch-{version}/{place}")
            entry.size, entry.mode = len(content), 0o644
            tar.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", type=Path, required=True, help="MODULE.bazel, which has the version")
    parser.add_argument("files", nargs="+", metavar="FILE", help="inputs, then the archive")
    options = parser.parse_args(argv)
    found = _VERSION.search(options.module.read_text(encoding="utf-8"))
    if found is None:
        print(f"{options.module}: no version", file=sys.stderr)
        return 1
    # Bazel passes the paths of a target as one argument.
    *files, out = " ".join(options.files).split()
    Path(out).write_bytes(pack(files, found[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
