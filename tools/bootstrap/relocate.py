"""Make programs of another Debian release run from a private folder.

The programs may need a newer glibc than the host's. Each program gets the paths of the private loader and
libraries, so host libraries are never used.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from commands import run

_ELF_MAGIC = b"\x7fELF"


@dataclass(frozen=True)
class Relocation:
    """A relocation of packages from `root`, their current folder, to `home`."""

    root: Path
    home: Path
    libraries: str
    loader: str

    def patch(self, program: Path, further_libraries: Iterable[str] = ()) -> None:
        """Set an ELF program's loader and run path to the private ones."""
        run_path = ":".join(str(self.home / folder) for folder in (*further_libraries, self.libraries))
        interpreter = str(self.home / self.libraries / self.loader)
        program.chmod(program.stat().st_mode | 0o200)
        self._patchelf("--set-interpreter", interpreter, "--force-rpath", "--set-rpath", run_path, str(program))

    def _patchelf(self, *arguments: str) -> None:
        """Run the unpacked patchelf with its own loader; the host's may be too old."""
        libraries = self.root / self.libraries
        loader = [str(libraries / self.loader), "--library-path", str(libraries)]
        run([*loader, str(self.root / "usr/bin/patchelf"), *arguments])


def is_program(path: Path) -> bool:
    """Return true if `path` is a regular ELF file."""
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as handle:
        return handle.read(4) == _ELF_MAGIC


def make_links_relative(root: Path) -> None:
    """Make absolute links under `root` relative to it, and delete broken links."""
    for link in [path for path in root.rglob("*") if path.is_symlink() and os.readlink(path).startswith("/")]:
        target = root / os.readlink(link).lstrip("/")
        link.unlink()
        if target.exists():
            link.symlink_to(os.path.relpath(target, link.parent))
