"""Write a jar with a native library.

org.executorch.bazel.NativeLibrary finds the library. The name of the library's file contains its SHA-256. `<name>.txt` in the same folder has the file name, the SHA-256 and the size.

Usage: `python3 -m rules.codegen.java_natives --target //app:net --name net_jni --platform linux-x86_64 --library libnet_jni.so
    --out natives.jar`, or `--jar FILE…` instead of the library, to merge jars.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from rules.codegen.archive import write_archive

# os: start and end of a library's file name.
_FILE_NAMES = {"macos": ("lib", ".dylib"), "windows": ("", ".dll")}


def native_files(name: str, platform: str, content: bytes) -> dict[str, bytes]:
    """Return the contents of the jar by path."""
    digest = hashlib.sha256(content).hexdigest()
    start, end = _FILE_NAMES.get(platform.partition("-")[0], ("lib", ".so"))
    file = f"{start}{name}-{digest[:16]}{end}"
    folder = f"META-INF/native/{platform}"
    return {f"{folder}/{name}.txt": f"{file} {digest} {len(content)}\n".encode(), f"{folder}/{file}": content}


class NativesError(Exception):
    """Jars cannot be merged. The message states the reason."""


def merged_files(jars: Sequence[Path]) -> dict[str, bytes]:
    """Return the contents of jars for different platforms. Raises NativesError."""
    files: dict[str, bytes] = {}
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            contents = {name: archive.read(name) for name in archive.namelist()}
        if same := sorted(files.keys() & contents.keys()):
            platform = same[0].split("/")[2]
            raise NativesError(f"platforms: two platforms are {platform}; remove one")
        files |= contents
    return files


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--target", required=True, help="label of the jar, for errors")
    parser.add_argument("--name", default="", help="name of the library")
    parser.add_argument("--platform", default="", help="<os>-<cpu>")
    parser.add_argument("--library", type=Path, help="shared library")
    parser.add_argument("--jar", type=Path, action="append", help="jar of a platform, to merge with others")
    parser.add_argument("--out", type=Path, required=True, help="jar to write")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    options = _parse_arguments(argv)
    try:
        if options.jar:
            files = merged_files(options.jar)
        else:
            files = native_files(options.name, options.platform, options.library.read_bytes())
    except NativesError as error:
        print(f"{options.target}: {error}", file=sys.stderr)
        return 1
    write_archive(options.out, files)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
