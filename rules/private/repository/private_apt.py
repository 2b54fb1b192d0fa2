"""Download packages of another Debian release and unpack them into a folder, without touching the system.

apt-get runs with lists, status and cache of its own, so no root is needed and the machine's packages stay as they are.
The mirror is the one the machine uses already, and apt checks the signatures against the machine's Debian keyring.
"""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from commands import run
from errors import BootstrapError

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_UNNEEDED = ("./usr/share/doc*", "./usr/share/man*", "./usr/share/locale*", "./usr/share/maven-repo*")


@dataclass(frozen=True)
class PrivateApt:
    """An apt-get with a state folder of its own.

    `folder` holds lists and downloads and can be deleted afterwards; `provided` names packages taken as installed,
    because the host has them or because what is unpacked never uses them.
    """

    folder: Path
    mirror: str
    suite: str
    architecture: str
    provided: Sequence[str]

    def update(self) -> None:
        """Fetch the suite's package list."""
        for name in ("lists/partial", "cache/archives/partial", "preferences.d"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        source = f"deb [arch={self.architecture} signed-by={_KEYRING}] {self.mirror} {self.suite} main\n"
        (self.folder / "sources.list").write_text(source)
        (self.folder / "status").write_text("".join(map(_installed_stanza, self.provided)))
        self._write_configuration()
        self._apt_get("update")

    def has(self, package: str) -> bool:
        """Whether the suite has `package` and everything it depends on."""
        try:
            self._apt_get("install", "--print-uris", "--yes", package)
        except BootstrapError:
            return False
        return True

    def unpack(self, packages: Iterable[str], root: Path) -> None:
        """Download `packages` with their dependencies and unpack them all under `root`."""
        self._apt_get("install", "--download-only", "--yes", *packages)
        root.mkdir(parents=True, exist_ok=True)
        for archive in sorted((self.folder / "cache/archives").glob("*.deb")):
            _unpack_archive(archive, root)

    def _apt_get(self, *arguments: str) -> None:
        run(["apt-get", "-qq", f"--config-file={self.folder}/apt.conf", *arguments])

    def _write_configuration(self) -> None:
        options = {
            "Dir::Etc::sourcelist": f"{self.folder}/sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": f"{self.folder}/preferences.d",
            "Dir::State": str(self.folder),
            "Dir::State::lists": f"{self.folder}/lists",
            "Dir::State::status": f"{self.folder}/status",
            "Dir::Cache": f"{self.folder}/cache",
            "Dir::Log": str(self.folder),
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "",
            "Acquire::Languages": "none",
            # A release under way can have a release file past its date.
            "Acquire::Check-Valid-Until": "false",
            "Debug::NoLocking": "true",
        }
        lines = [f'{name} "{value}";\n' for name, value in options.items()]
        (self.folder / "apt.conf").write_text("".join(lines))


def _installed_stanza(package: str) -> str:
    return (
        f"Package: {package}\nStatus: install ok installed\nPriority: optional\nSection: misc\n"
        "Maintainer: none <none@localhost>\nArchitecture: all\nMulti-Arch: foreign\nVersion: 99:99\n"
        "Description: provided by the host\n\n"
    )


def _unpack_archive(archive: Path, root: Path) -> None:
    excludes = [f"--exclude={pattern}" for pattern in _UNNEEDED]
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE) as contents:
        tar = ["tar", "-x", "-C", str(root), "--no-same-owner", "--keep-directory-symlink"]
        run([*tar, *excludes], stdin=contents.stdout)
    if contents.returncode:
        raise BootstrapError(f"cannot unpack {archive.name}: dpkg-deb failed; is the disk full?")
