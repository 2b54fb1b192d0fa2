"""Install the packages of a lock file once for a user and machine, and put them into a repository.

    python3 install_environment.py LOCK            # prints the folder they are in; says on standard error when it had to install
    python3 install_environment.py LOCK FOLDER     # and makes FOLDER have the same
    python3 install_environment.py LOCK --build-variable CMAKE_ARGS=-DTOOLS=OFF    # for what pip compiles

The packages lie in the user's cache under a name made from the lock's content, the variables they are compiled with, the Python
they are for and the version of this recipe. FOLDER has hard links to the files, so that it stays whole when somebody deletes the cache; where the two lie on
different disks it is a link itself. Two installs of one lock by one Python hold the same bytes: no record of place or time is
kept, and byte code is compiled without either. What the actions of a build never read (headers, test suites, scripts) is left
out.
"""

import argparse
import errno
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from byte_code import compile_byte_code
from errors import BootstrapError
from pip_command import find_pip, pip_errors
from user_cache import cache_root, provide, publish

_RECIPE = 2  # Raise it when what is installed from the same lock changes.
_NO_VARIABLES: Mapping[str, str] = {}
_CONTENTS = "contents"  # of an entry: for each installed file a line with its size and its path
_PIP_OPTIONS = (
    *("--quiet", "--no-deps", "--require-hashes", "--no-compile", "--only-binary=:all:"),
    *("--disable-pip-version-check", "--no-warn-script-location", "--root-user-action=ignore"),
)
_UNUSED = (
    *("bin", "share", "test", "torch/include", "torch/share", "torch/test", "torch/bin/protoc*", "executorch/include"),
    # Test programs and libraries of torch; torch_shm_manager is none.
    *("torch/bin/test_*", "torch/bin/*Test", "torch/bin/*.pt*", "torch/bin/upgrader_models"),
    *("torch/lib/libaoti_custom_ops.so", "torch/lib/libbackend_with_compiler.so", "torch/lib/lib*bind_test.so"),
    "torch/lib/libjitbackend_test.so",
    # Sources of C and C++, which only building extensions reads.
    *("**/*.h", "**/*.hpp", "**/*.c", "**/*.cc", "**/*.cpp", "**/*.cu", "**/*.a"),
    # Kernels for graphics processors, which cannot be loaded with the CPU build of torch.
    "torchao/_C*.so",
    # Notes of the installer, which name the place or the origin of a package.
    *("*.dist-info/RECORD", "*.dist-info/direct_url.json", "*.dist-info/INSTALLER", "*.dist-info/REQUESTED"),
    # Bazel would take these folders for packages of its own, and it refuses names with spaces.
    *("**/BUILD", "**/BUILD.bazel", "**/WORKSPACE", "**/* *"),
)
_WITH_TEST_SUITES = ("joblib", "mpmath", "networkx", "numpy", "pandas", "scipy", "setuptools", "sklearn", "sympy")
_ROOM_ADVICE = """
The packages with torch take about 1 GB in {root}, and as much while they are unpacked. Make room there, or name a folder with
XDG_CACHE_HOME, and start again."""
_FOLDER_ADVICE = """
Packages are kept in {root}. Make it a folder that you may write to, or name another with XDG_CACHE_HOME, and start again."""
_ADVICE = {
    errno.ENOSPC: _ROOM_ADVICE,
    errno.EDQUOT: _ROOM_ADVICE,
    errno.EACCES: _FOLDER_ADVICE,
    errno.EPERM: _FOLDER_ADVICE,
    errno.EROFS: _FOLDER_ADVICE,
    errno.ENOTDIR: _FOLDER_ADVICE,
}
_TORCH_ADVICE = """
The locked torch is PyTorch's CPU build, which the default index does not have. Tell pip where it is, for example by
  PIP_FIND_LINKS=<folder that has the +cpu wheel>, or
  PIP_EXTRA_INDEX_URL=<PyTorch's index of CPU wheels: pytorch.org, "Get Started", CPU>
or the same in pip.conf, and start again."""


class _NoSuchTorch(BootstrapError):
    """The index does not have the build of torch that is locked; another lock may name one that it has."""

    EXIT_CODE = 3


def install(lock: Path, variables: Mapping[str, str] = _NO_VARIABLES) -> tuple[Path, bool]:
    """The cached folder with the packages of `lock`, and whether they were installed now, as it was not there or not whole.

    Packages that pip compiles are compiled with the environment's `variables`."""
    entry = cache_root() / "python" / environment_key(lock, variables)
    if entry.exists() and not _is_whole(entry):
        shutil.rmtree(entry)
    installed = publish(entry, lambda folder: _fill(folder / "site", lock, variables))
    return entry / "site", installed


def provide_site(site: Path, folder: Path) -> None:
    """Make `folder` hold what the cached `site` does, with the record of it beside."""
    record = site.with_name(_CONTENTS)
    if record.exists():
        shutil.copyfile(record, folder.with_name(_CONTENTS))
    provide(site, folder)


def environment_key(lock: Path, variables: Mapping[str, str] = _NO_VARIABLES) -> str:
    """Name of the environment: the same lock, variables, Python and recipe give the same name on every machine."""
    given = sorted(f"{name}={value}" for name, value in variables.items())
    parts = (str(_RECIPE), sys.implementation.cache_tag, sysconfig.get_platform(), lock.read_text(), *given)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _fill(site: Path, lock: Path, variables: Mapping[str, str]) -> None:
    _pip_install(site, lock, variables)
    for path in _unused_paths(site):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    compile_byte_code(site)
    _record_contents(site)


def _pip_install(site: Path, lock: Path, variables: Mapping[str, str]) -> None:
    command = [*find_pip(), "install", *_PIP_OPTIONS, "--target", str(site), "--requirement", str(lock)]
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
    if result.returncode:
        errors = pip_errors(result.stderr)
        room = _room_advice(errors)
        if not room and "torch==" in errors:
            raise _NoSuchTorch(f"cannot install {lock.name}; pip says:\n{errors}{_TORCH_ADVICE}")
        raise BootstrapError(f"cannot install {lock.name}; pip says:\n{errors}{room}")


def _room_advice(errors: str) -> str:
    """Where pip says so."""
    return _ROOM_ADVICE.format(root=cache_root()) if os.strerror(errno.ENOSPC) in errors else ""


def explained(error: OSError, lock: Path) -> str:
    """What a folder does not let us do, and what to do about it."""
    advice = _ADVICE.get(error.errno or 0, "").format(root=cache_root())
    return f"cannot install {lock.name}: {error.strerror}: {error.filename or cache_root()}{advice}"


def _unused_paths(site: Path) -> Iterator[Path]:
    for pattern in _UNUSED:
        yield from sorted(site.glob(pattern))
    for package in _WITH_TEST_SUITES:
        yield from sorted((site / package).glob("**/tests"))


def _record_contents(site: Path) -> None:
    files = sorted(path for path in site.rglob("*") if path.is_file())
    lines = [f"{path.stat().st_size} {path.relative_to(site)}\n" for path in files]
    site.with_name(_CONTENTS).write_text("".join(lines), encoding="utf-8")


def _is_whole(entry: Path) -> bool:
    """Whether every file that was installed is there, in its size; what was installed before there were records counts as whole."""
    contents = entry / _CONTENTS
    if not contents.exists():
        return (entry / "site").is_dir()
    lines = contents.read_text(encoding="utf-8").splitlines()
    return all(_has_size(entry / "site" / path, int(size)) for size, path in (line.split(" ", 1) for line in lines))


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Install the packages of a lock file once for a user and machine.")
    parser.add_argument("lock", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--build-variable", action="append", default=[], metavar="NAME=VALUE")
    return parser.parse_args(words)


def main() -> int:
    options = _options(sys.argv[1:])
    lock = options.lock
    try:
        site, installed = install(lock, dict(word.split("=", 1) for word in options.build_variable))
        if options.folder:
            provide_site(site, options.folder)
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return error.EXIT_CODE
    except OSError as error:
        print(explained(error, lock), file=sys.stderr)
        return 1
    print(site)
    if installed:
        print(f"installed the packages of {lock.name} in {site.parent}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
