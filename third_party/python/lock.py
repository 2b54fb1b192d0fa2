"""Write a lock file from a requirements file: exact versions and hashes, one package a line.

    python3 third_party/python/lock.py requirements            # requirements.in -> requirements.lock
    python3 third_party/python/lock.py oracle --base requirements --no-deps executorch
    python3 third_party/python/lock.py peers --base requirements --base oracle --no-deps executorch

Run it with the Python that the environment is for (CPython 3.11 on x86-64 Linux); pip resolves with its own configuration.
`--base` names a lock below this one: its versions hold and its packages are left out. `--no-deps` names a package, of
this lock or of one below, whose declared dependencies are not followed, as the .in file lists what it imports instead.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

_FOLDER = Path(__file__).parent
_HEADER = "# Made by lock.py from {source}; do not edit.\n"


def resolve(requirements: Sequence[str], options: Sequence[str]) -> dict[str, str]:
    """What pip would install for `requirements`: lock line by package name."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([*command, "--report", report.name, *options, *requirements], check=True)
        installs = json.load(report)["install"]
    return dict(_lock_line(install) for install in installs)


def _lock_line(install: dict) -> tuple[str, str]:
    name = _normalised(install["metadata"]["name"])
    version = install["metadata"]["version"]
    digest = install["download_info"]["archive_info"]["hashes"]["sha256"]
    return name, f"{name}=={version} --hash=sha256:{digest}"


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _lines(path: Path) -> list[str]:
    stripped = (line.strip() for line in path.read_text().splitlines())
    return [line for line in stripped if line and not line.startswith("#")]


def _name_of(requirement: str) -> str:
    return _normalised(re.match(r"[\w.-]+", requirement)[0])


def lock(requirements: Iterable[str], base: Sequence[str], alone: Iterable[str]) -> list[str]:
    """Lock lines for `requirements`, without the packages of the `base` lock; `alone` come without dependencies."""
    requirements, alone = list(requirements), set(map(_normalised, alone))
    pins = [line.split()[0] for line in base]
    followed = [line for line in (*requirements, *pins) if _name_of(line) not in alone]
    single = [line for line in requirements if _name_of(line) in alone]
    found = resolve(followed, [])
    found |= resolve(single, ["--no-deps"]) if single else {}
    below = set(map(_name_of, pins))
    return [line for name, line in sorted(found.items()) if name not in below]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--base", action="append", default=[])
    parser.add_argument("--no-deps", action="append", default=[])
    options = parser.parse_args()
    source = _FOLDER / f"{options.name}.in"
    base = [line for name in options.base for line in _lines(_FOLDER / f"{name}.lock")]
    lines = lock(_lines(source), base, options.no_deps)
    (_FOLDER / f"{options.name}.lock").write_text(_HEADER.format(source=source.name) + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
