"""Extract files from one wheel of a package index.

    python3 wheel_files.py PACKAGE VERSION SHA256 TAGS FOLDER PATH...    # TAGS: py3-none-any, or the tags in the wheel's name

pip fetches the wheel with the machine's configuration. The wheel is stored in the user's cache under its
hash, which is verified at each use. FOLDER gets the files at their paths in the wheel.
"""

import difflib
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from commands import BootstrapError
from pip_command import find_pip, pip_errors
from user_cache import cache_root, publish

_PIP_OPTIONS = ("--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:", "--no-cache-dir")
_TAGS = re.compile(r"(?P<implementation>[a-z]+)(?P<version>\d+)-(?P<abi>\w+)-(?P<platforms>[\w.]+)")
_OTHER_HASH = re.compile(r"Got +(?P<hash>[0-9a-f]{64})")
_VERSIONS = re.compile(r"\(from versions: (?P<versions>[^)]*)\)")
_SUGGESTIONS = 5
_FILE = "wheel.whl"


@dataclass(frozen=True)
class Wheel:
    """A wheel: its name in the index, and its SHA-256."""

    package: str
    version: str
    sha256: str
    tags: str = ""  # "" if it is for every machine

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


def take(wheel: Wheel, paths: Sequence[str], folder: Path) -> None:
    """Extract the files `paths` of the wheel to `folder`. Raise `BootstrapError`."""
    with zipfile.ZipFile(cached(wheel)) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        missing = [path for path in paths if path not in names]
        if missing:
            raise BootstrapError(_missing_text(wheel, missing, names))
        for path in paths:
            archive.extract(path, folder)


def cached(wheel: Wheel) -> Path:
    """Return the wheel's file in the user's cache. Raise `BootstrapError`.

    A missing or damaged file is fetched.
    """
    entry = cache_root() / "wheels" / wheel.sha256
    publish(
        entry,
        lambda part: _fetch_wheel(wheel, part / _FILE),
        is_intact=lambda found: _file_digest(found / _FILE) == wheel.sha256,
    )
    return entry / _FILE


def _file_digest(file: Path) -> str:
    if not file.is_file():
        return ""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _fetch_wheel(wheel: Wheel, file: Path) -> None:
    with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
        _pip_download(wheel, Path(scratch))
        (fetched,) = Path(scratch).glob("*.whl")
        fetched.rename(file)


def _pip_download(wheel: Wheel, folder: Path) -> None:
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    options = [*_PIP_OPTIONS, *_tag_options(wheel.tags), "--dest", str(folder), "--requirement", str(requirement)]
    result = subprocess.run([*find_pip(), "download", *options], capture_output=True, text=True)
    if result.returncode:
        raise BootstrapError(_failure_text(wheel, result.stderr))


def _tag_options(tags: str) -> list[str]:
    """Return pip's options for a wheel for another Python or machine.

    The wheel is not installed, only read.
    """
    if not tags:
        return []
    found = _TAGS.fullmatch(tags)
    if found is None:
        raise BootstrapError(
            f"wheel_tags: '{tags}' is not the end of a wheel's name; write tags such as "
            "cp311-cp311-manylinux_2_28_x86_64"
        )
    platforms = [f"--platform={platform}" for platform in found["platforms"].split(".")]
    return [
        f"--implementation={found['implementation']}",
        f"--python-version={found['version']}",
        f"--abi={found['abi']}",
        *platforms,
    ]


def _failure_text(wheel: Wheel, errors: str) -> str:
    other = _OTHER_HASH.search(errors)
    if other:
        return (
            f"{wheel}: the wheel has the hash {other['hash']}, but sha256 is {wheel.sha256}; correct sha256 if this "
            "is the intended wheel"
        )
    versions = _VERSIONS.search(errors)
    if versions:
        return (
            f"{wheel}: pip finds no such wheel{f' with the tags {wheel.tags}' if wheel.tags else ''}; "
            f"available versions: {versions['versions']}"
        )
    return f"{wheel}: cannot be downloaded; pip reports:\n{pip_errors(errors)}"


def _missing_text(wheel: Wheel, missing: Sequence[str], names: Sequence[str]) -> str:
    return "\n".join(f"{wheel} has no file '{path}'; {_similar_text(path, names)}" for path in missing)


def _similar_text(path: str, names: Sequence[str]) -> str:
    same_name = [name for name in names if name.rpartition("/")[2] == path.rpartition("/")[2]]
    similar = list(dict.fromkeys([*same_name, *difflib.get_close_matches(path, names, _SUGGESTIONS)]))
    return (
        f"similar files: {', '.join(similar[:_SUGGESTIONS])}"
        if similar
        else (f"the wheel has {len(names)} other files")
    )


def main() -> int:
    package, version, sha256, tags, folder, *paths = sys.argv[1:]
    try:
        take(Wheel(package, version, sha256, tags), paths, Path(folder))
    except (BootstrapError, OSError, zipfile.BadZipFile) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
