"""Write a lock file from a requirements file: a line per package, with its hash.

    python3 third_party/python/lock.py requirements            # requirements.in -> requirements.lock
    python3 third_party/python/lock.py oracle --base requirements --no-deps executorch
    python3 third_party/python/lock.py peers --base requirements --base oracle --no-deps executorch
    python3.12 third_party/python/lock.py requirements --index    # requirements_cp312_index.lock
    python3 third_party/python/lock.py requirements --index --machine aarch64    # requirements_cp311_aarch64_index.lock
    python3 third_party/python/lock.py requirements --index --machine macos_arm64

Run it with the Python of the environment: CPython 3.11 on x86-64 Linux. pip reads its usual
configuration.

`--base` names a lock that this one extends: its versions apply, and its packages are omitted.
`--no-deps` names a package whose declared dependencies are ignored, because the .in file lists the
packages that it imports. The package can be in this lock or in a base.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterable, Sequence
from pathlib import Path

_FOLDER = Path(__file__).parent
_HEADER = "# Made by lock.py from {source}; do not edit.\n"
# Platform tags of wheels for Linux, by the required version of the C library. {0} is the machine.
_LINUX = ("manylinux2014_{0}", *(f"manylinux_2_{minor}_{{0}}" for minor in range(17, 29)))
# Platform tags of the macOS wheels of torch and its dependencies.
_MACOS = ("macosx_14_0_arm64", "macosx_11_0_arm64", "macosx_11_0_universal2", "macosx_10_9_universal2")
_SIZE = "# To download: {gigabytes:.1f} GB.\n"


def resolve(requirements: Sequence[str], options: Sequence[str]) -> list[dict]:
    """Return pip's report of the packages that `requirements` would install."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([*command, "--report", report.name, *options, *requirements], check=True)
        return json.load(report)["install"]


def _lock_line(install: dict) -> str:
    name = _normalised(install["metadata"]["name"])
    version = install["metadata"]["version"]
    digest = install["download_info"]["archive_info"]["hashes"]["sha256"]
    return f"{name}=={version} --hash=sha256:{digest}"


def _size(install: dict) -> int:
    """Return the size of a file to download, in bytes."""
    request = urllib.request.Request(install["download_info"]["url"], method="HEAD")
    with urllib.request.urlopen(request) as answer:
        return int(answer.headers["Content-Length"])


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _lines(path: Path) -> list[str]:
    stripped = (line.strip() for line in path.read_text().splitlines())
    return [line for line in stripped if line and not line.startswith("#")]


def _name_of(requirement: str) -> str:
    return _normalised(re.match(r"[\w.-]+", requirement)[0])


def lock(requirements: Sequence[str], base: Sequence[str], alone: Iterable[str]) -> list[str]:
    """Return the lock lines for `requirements`, after their pip options.

    Packages of the `base` lock are omitted, and dependencies of packages in `alone` are ignored.
    """
    alone = set(map(_normalised, alone))
    options = [line for line in requirements if line.startswith("-")]
    requirements = [line for line in requirements if not line.startswith("-")]
    pins = [line.split()[0] for line in base]
    followed = [line for line in (*requirements, *pins) if _name_of(line) not in alone]
    single = [line for line in requirements if _name_of(line) in alone]
    below = set(map(_name_of, pins))
    found = resolve(followed, options) + (resolve(single, ["--no-deps", *options]) if single else [])
    added = [install for install in found if _normalised(install["metadata"]["name"]) not in below]
    return options + sorted({_lock_line(install) for install in added})


def _options_for(machine: str | None) -> list[str]:
    """Return pip's flags to resolve for another machine."""
    if machine is None:
        return []
    tags = _MACOS if machine == "macos_arm64" else [tag.format(machine) for tag in _LINUX]
    platforms = [f"--platform={tag}" for tag in tags]
    return [*platforms, "--only-binary=:all:", "--target", tempfile.gettempdir()]


def lock_index(requirements: Iterable[str], like: Sequence[str], machine: str | None) -> tuple[list[str], int]:
    """Return the lock lines for `requirements`, and the bytes to download.

    torch is that of the default index. Other packages have the versions of `like`.
    """
    public = [line.partition("+")[0] for line in requirements]
    pins = [line.split()[0] for line in like]
    if machine == "macos_arm64":
        # On macOS, torch has the dependencies of the CPU build. pip would add those of this system.
        found = resolve([pin.partition("+")[0] for pin in pins], ["--no-deps", *_options_for(machine)])
        return sorted(map(_lock_line, found)), sum(map(_size, found))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join(pin for pin in pins if "+" not in pin))
        constraints.flush()
        found = resolve(public, ["--constraint", constraints.name, *_options_for(machine)])
    return sorted(map(_lock_line, found)), sum(map(_size, found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--base", action="append", default=[])
    parser.add_argument("--no-deps", action="append", default=[])
    parser.add_argument("--index", action="store_true")
    parser.add_argument("--machine")
    options = parser.parse_args()
    source, target = _FOLDER / f"{options.name}.in", _FOLDER / f"{options.name}.lock"
    head = _HEADER.format(source=source.name)
    if options.index:
        lines, size = lock_index(_lines(source), _lines(target), options.machine)
        head += _SIZE.format(gigabytes=size / 1e9)
        words = [sys.implementation.cache_tag.replace("cpython-", "cp"), *filter(None, [options.machine]), "index"]
        target = _FOLDER / f"{options.name}_{'_'.join(words)}.lock"
    else:
        base = [line for name in options.base for line in _lines(_FOLDER / f"{name}.lock")]
        lines = lock(_lines(source), base, options.no_deps)
    target.write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
