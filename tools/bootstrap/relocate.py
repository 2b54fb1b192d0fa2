"""Make programs of another Debian release run from a private folder, on their own C library.

The programs may need a newer glibc than the host's. Each gets the loader and the library folder of the private tree
written into it; the host's libraries are never mixed in.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from commands import run

_ELF_MAGIC = b"\x7fELF"


@dataclass(frozen=True)
class Relocation:
    """`root` is where the packages lie now, `home` where they will lie when the programs run."""

    root: Path
    home: Path
    libraries: str
    loader: str

    def patch(self, program: Path, further_libraries: Iterable[str] = ()) -> None:
        """Point an ELF `program` under `root` at the private loader and libraries."""
        run_path = ":".join(str(self.home / folder) for folder in (*further_libraries, self.libraries))
        interpreter = str(self.home / self.libraries / self.loader)
        program.chmod(program.stat().st_mode | 0o200)
        self._patchelf("--set-interpreter", interpreter, "--force-rpath", "--set-rpath", run_path, str(program))

    def _patchelf(self, *arguments: str) -> None:
        """Run the unpacked patchelf through its own loader, as the host's may be too old for it."""
        libraries = self.root / self.libraries
        loader = [str(libraries / self.loader), "--library-path", str(libraries)]
        run([*loader, str(self.root / "usr/bin/patchelf"), *arguments])


def is_program(path: Path) -> bool:
    """Whether `path` is a regular ELF file."""
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as handle:
        return handle.read(4) == _ELF_MAGIC


def make_links_relative(root: Path) -> None:
    """Turn absolute links under `root` into relative ones that stay inside; drop those that lead nowhere."""
    for link in [path for path in root.rglob("*") if path.is_symlink() and os.readlink(path).startswith("/")]:
        target = root / os.readlink(link).lstrip("/")
        link.unlink()
        if target.exists():
            link.symlink_to(os.path.relpath(target, link.parent))
