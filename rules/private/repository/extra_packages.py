"""Find packages in a user's lock file that the rules do not install.

    python3 extra_packages.py LOCK BASE EXTRA    # writes EXTRA; prints a line for each package of LOCK: name, "extra" or "base"

A package in both locks must have the same version, because a compilation can use only one torch.
The local part of a version (`+cpu`) is ignored: the user's lock may name another build.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from commands import BootstrapError

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(\[[^]]*\])?\s*==\s*(?P<version>[^\s;\\]+)")

# pip-compile writes these options from its own configuration.
_INDEX_OPTION = re.compile(r"--(index-url|extra-index-url|find-links|trusted-host)\b")


@dataclass(frozen=True)
class Requirement:
    """One package of a lock file: normalized name, version and lines."""

    name: str
    version: str
    text: str

    @property
    def public_version(self) -> str:
        return self.version.partition("+")[0]


def read_lock(path: Path) -> list[Requirement]:
    """Read a lock file that pip-compile or pip freeze wrote. Raise `BootstrapError`.

    Index options in the file are ignored. pip uses the machine's configuration.
    """
    text = re.sub(r"^\s*#.*\n?", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    logical = re.sub(r"\s*\\\n\s*", " ", text)
    lines = [line.strip() for line in logical.splitlines()]
    return [_parse_requirement(line, path) for line in lines if line and not _INDEX_OPTION.match(line)]


def _parse_requirement(line: str, path: Path) -> Requirement:
    found = _REQUIREMENT.match(line)
    if found is None or "--hash=" not in line:
        raise BootstrapError(
            f"'{line}' is not an exact version with a hash; write the file with pip-compile --generate-hashes"
        )
    return Requirement(normalize_name(found["name"]), found["version"], line)


def normalize_name(name: str) -> str:
    """Return a package's name as normalized by PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def extra_packages(lock: list[Requirement], base: list[Requirement]) -> list[Requirement]:
    """Return the packages of `lock` that are not in `base`.

    Raises `BootstrapError` that lists all packages with different versions.
    """
    ours = {package.name: package for package in base}
    clashes = [
        f"  {package.name}: {package.version}, but the rules have {ours[package.name].version}"
        for package in lock
        if package.name in ours and package.public_version != ours[package.name].public_version
    ]
    if clashes:
        raise BootstrapError(
            "the versions of these packages differ from the rules' versions:\n"
            + "\n".join(clashes)
            + (
                "\nlock your packages with the rules' third_party/python/requirements.lock as constraints "
                "(pip-compile -c)"
            )
        )
    return [package for package in lock if package.name not in ours]


def main() -> int:
    lock, base, extra = map(Path, sys.argv[1:])
    try:
        packages = read_lock(lock)
        found = extra_packages(packages, read_lock(base))
    except (BootstrapError, OSError) as error:
        print(f"{lock.name}: {error}" if isinstance(error, BootstrapError) else error, file=sys.stderr)
        return 1
    extra.write_text("".join(f"{package.text}\n" for package in found), encoding="utf-8")
    names = {package.name for package in found}
    for package in packages:
        print(package.name, "extra" if package.name in names else "base")
    return 0


if __name__ == "__main__":
    sys.exit(main())
