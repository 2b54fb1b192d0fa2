"""Compile a model on AArch64, and compare the program with the one of this host.

    PYTHONPATH=.:rules/private/repository python3 tests/aarch64_host/main.py

Runs the compiler in an AArch64 Python under QEMU, with the packages that the rules install on
AArch64. Downloads 5 GB into the user's cache, and needs no root. Each compilation takes about a
minute.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from commands import BootstrapError, run
from debian_mirror import debian_codename, debian_mirror
from private_apt import PrivateApt
from user_cache import cache_root, publish

from exir.cli.worker.environment import C_LIBRARY, C_LIBRARY_PLAIN

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = Path(__file__).resolve().parent
_LOCK = _ROOT / "third_party/python/requirements_cp311_aarch64_index.lock"
_PYTHON = "usr/bin/python3.11"

# QEMU 7.2 of Debian 12 crashes when torch is imported.
_QEMU_SUITE = "trixie"

# The wheels of the lock require different versions of glibc.
_PLATFORMS = ["manylinux2014_aarch64", *[f"manylinux_2_{minor}_aarch64" for minor in range(17, 37)]]


def main() -> int:
    try:
        host = prepare()
        with tempfile.TemporaryDirectory() as folder:
            here, there = Path(folder) / "x86_64.pte", Path(folder) / "aarch64.pte"
            _convert([str(_ROOT / "tools/python"), "-m", "exir.cli.convert"], here, {"PYTHONPATH": str(_ROOT)})
            _convert(_emulated_python(host), there, {"PYTHONPATH": f"{host / 'site'}:{_ROOT}"})
            return _compare(here.read_bytes(), there.read_bytes())
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 1


def prepare() -> Path:
    """Return a folder with QEMU, an AArch64 system and the packages."""
    entry = cache_root() / "aarch64_host.r1"
    publish(entry, _fill)
    return entry


def _fill(folder: Path) -> None:
    _unpack(folder / "qemu", _QEMU_SUITE, "amd64", ["qemu-user"], provided=["qemu-user-binfmt"])
    _unpack(folder / "root", debian_codename(), "arm64", ["libstdc++6", "python3.11"], provided=["media-types"])
    _install_packages(folder / "site")


def _unpack(root: Path, suite: str, architecture: str, packages: Sequence[str], provided: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(dir=root.parent) as scratch:
        apt = PrivateApt(Path(scratch), debian_mirror(), suite, architecture, provided)
        apt.update()
        apt.unpack(packages, root)


def _install_packages(site: Path) -> None:
    platforms = [f"--platform={platform}" for platform in _PLATFORMS]
    pip = ["python3.11", "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--no-cache-dir"]
    version = ["--only-binary=:all:", "--python-version=3.11"]
    run([*pip, *platforms, *version, f"--target={site}", f"--requirement={_LOCK}"])


def _emulated_python(host: Path) -> list[str]:
    root = host / "root"
    return [
        str(host / "qemu/usr/bin/qemu-aarch64"),
        "-L",
        str(root),
        str(root / _PYTHON),
        str(_FOLDER / "emulated_convert.py"),
    ]


def _convert(command: Sequence[str], program: Path, variables: Mapping[str, str]) -> None:
    # The compiler restarts its process if this variable has another value; QEMU cannot.
    environment = {**os.environ, **variables, C_LIBRARY: C_LIBRARY_PLAIN, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([*command, str(_FOLDER / "net.py"), "-o", str(program)], env=environment, check=True)


def _compare(here: bytes, there: bytes) -> int:
    if here == there:
        print(f"x86-64 and AArch64 compile the model to the same {len(here)} bytes")
        return 0
    differing = sum(a != b for a, b in zip(here, there, strict=False))
    print(f"the programs differ: {len(here)} bytes on x86-64, {len(there)} on AArch64, {differing} different")
    return 1


if __name__ == "__main__":
    sys.exit(main())
