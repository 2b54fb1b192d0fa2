"""Prepares nginx and BuildBox for the tests, and prints their path.

The servers are packages of a future Debian release, because earlier ones lack BuildBox. They are
unpacked with their libraries into a private folder of the user's cache. This does not need root,
does not change the system, and starts no server.

    PYTHONPATH=rules/private/repository:tools/bootstrap python3 tests/many_machines/prepare_servers.py
"""

import sys
import tempfile
from pathlib import Path

from commands import BootstrapError, run
from debian_mirror import debian_mirror
from private_apt import PrivateApt
from relocate import Relocation, make_links_relative
from user_cache import cache_root, publish

_SUITE = "forky"
_PACKAGES = ("buildbox", "nginx", "patchelf")
_PROVIDED = ("debconf", "init-system-helpers", "iproute2", "libc-bin")
_PROGRAMS = ("usr/bin/buildbox-casd", "usr/bin/buildbox-run-hosttools", "usr/sbin/nginx")
_LIBRARIES, _LOADER = "usr/lib/x86_64-linux-gnu", "ld-linux-x86-64.so.2"


def prepare() -> Path:
    """Return the folder of the unpacked programs."""
    entry = cache_root() / "servers.r1"
    publish(entry, lambda folder: _fill(folder, entry), _check_programs)
    return entry


def _fill(folder: Path, home: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="private-apt-", dir=folder.parent) as scratch:
        apt = PrivateApt(Path(scratch), debian_mirror(), _SUITE, "amd64", _PROVIDED)
        apt.update()
        apt.unpack(_PACKAGES, folder)
    make_links_relative(folder)
    relocation = Relocation(folder, home, _LIBRARIES, _LOADER)
    for name in _PROGRAMS:
        relocation.patch(folder / name)


def _check_programs(entry: Path) -> None:
    """Check that the programs start. They contain their path, so they cannot be moved."""
    for name in _PROGRAMS:
        run([str(entry / name), "-h" if name.endswith("nginx") else "--help"])


def main() -> int:
    try:
        print(prepare())
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
