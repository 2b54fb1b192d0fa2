"""Download packages of another Debian release and unpack them into a folder.

apt-get runs with its own lists, status and cache, so it needs no root and does not change the
machine's packages. It uses the machine's mirror. apt checks signatures with the machine's Debian
keyring.
"""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from commands import BootstrapError, run

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_UNNEEDED = ("./usr/share/doc*", "./usr/share/man*", "./usr/share/locale*", "./usr/share/maven-repo*")


@dataclass(frozen=True)
class PrivateApt:
    """An apt-get with its own state folder.

    `folder` holds lists and downloads; it can be deleted afterwards. `provided` names packages that count as
    installed, because the host has them or the unpacked programs never use them.
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
        """Return true if the suite has `package` and all its dependencies."""
        try:
            self._apt_get("install", "--print-uris", "--yes", package)
        except BootstrapError:
            return False
        return True

    def unpack(self, packages: Iterable[str], root: Path) -> None:
        """Download `packages` with their dependencies and unpack them all in `root`."""
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
            "APT::Architecture": self.architecture,
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "",
            "Acquire::Languages": "none",
            # The release file of an unreleased suite can be out of date.
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
        raise BootstrapError(f"cannot unpack {archive.name}: dpkg-deb failed; check for free disk space")
