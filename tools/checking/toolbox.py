"""Install the checking tools, once per user, in pinned versions.

third_party/python/check.lock pins the packages from PyPI by hash. Buildifier comes from its npm
archive, pinned by the hash below; npm runs no scripts and installs no dependencies.
"""

import base64
import hashlib
import tarfile
import tempfile
from pathlib import Path

from commands import BootstrapError, run
from pip_command import find_pip
from user_cache import cache_root, publish

_BUILDIFIER = "@bazel/buildifier@8.2.1"
_BUILDIFIER_SHA512 = "eZ/Aq+2r4PcJa6LbPCT6ffgIJfTU/gYilqIzoX2OLM4nNkbQC6tTMPZNn7aHHjhGPxbNLv41zm4Xqt1olCLgXw=="
_BUILDIFIER_MEMBER = "package/buildifier-linux_amd64"
_PIP_OPTIONS = (
    *("--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"),
    *("--disable-pip-version-check", "--no-warn-script-location", "--root-user-action=ignore"),
)


def toolbox(lock: Path) -> Path:
    """Return the folder of the tools: Python packages, and programs in `bin/`."""
    content = f"{lock.read_text()}{_BUILDIFIER}{_BUILDIFIER_SHA512}"
    entry = cache_root() / "check" / hashlib.sha256(content.encode()).hexdigest()[:32]
    publish(entry, lambda folder: _fill(folder, lock))
    return entry


def _fill(folder: Path, lock: Path) -> None:
    command = [*find_pip(), "install", *_PIP_OPTIONS, "--target", str(folder), "--requirement", str(lock)]
    run(command)
    with tempfile.TemporaryDirectory(prefix="npm-") as scratch:
        archive = _fetch_from_npm(_BUILDIFIER, Path(scratch))
        check_sha512(archive, _BUILDIFIER_SHA512)
        extract(archive, _BUILDIFIER_MEMBER, folder / "bin/buildifier")


def _fetch_from_npm(package: str, folder: Path) -> Path:
    run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), package])
    return next(folder.glob("*.tgz"))


def check_sha512(archive: Path, expected: str) -> None:
    """Raise BootstrapError unless `archive` has the hash `expected` in npm notation."""
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != expected:
        raise BootstrapError(f"{archive.name}: sha512 is {found}, expected {expected}; this is not the pinned release")


def extract(archive: Path, member: str, program: Path) -> None:
    """Write one file of `archive` to `program`, executable."""
    with tarfile.open(archive) as package:
        content = package.extractfile(member)
        if content is None:
            raise BootstrapError(f"{archive.name}: {member} is not a file")
        program.write_bytes(content.read())
    program.chmod(0o755)
