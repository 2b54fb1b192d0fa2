"""Install the packages of a lock file once per user and machine.

    python3 install_environment.py LOCK            # prints the cached folder; reports an installation on standard error
    python3 install_environment.py LOCK FOLDER     # also fills FOLDER with the packages
    python3 install_environment.py --pack LOCK FOLDER                              # with modules in an archive (pack_modules.py)
    python3 install_environment.py LOCK --build-variable CMAKE_ARGS=-DTOOLS=OFF    # for packages that pip compiles

The packages are in the user's cache. The entry's name is a digest of the lock, the build variables,
the Python and the version of this recipe. FOLDER has hard links to the files, so it stays complete
if the cache is deleted. If FOLDER is on another disk, it is a symbolic link to the cache. Two
installations of the same lock with the same Python have the same bytes: records with paths and
times are removed, and byte code contains neither. Files that build actions never read (headers,
test suites, scripts) are removed.
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

from commands import BootstrapError, compile_byte_code
from pack_modules import pack_packages, packing_recipe
from pip_command import find_pip, pip_errors
from user_cache import cache_root, provide, publish

_RECIPE = 2  # Increase it if the same lock yields different files.
_NO_VARIABLES: Mapping[str, str] = {}
_CONTENTS = "contents"  # file of an entry: a line with size and path for each installed file
_PIP_OPTIONS = (
    *("--quiet", "--no-deps", "--require-hashes", "--no-compile", "--only-binary=:all:"),
    *("--disable-pip-version-check", "--no-warn-script-location", "--root-user-action=ignore"),
)
_UNUSED = (
    *("bin", "share", "test", "torch/include", "torch/share", "torch/test", "torch/bin/protoc*", "executorch/include"),
    # torch's test programs and test libraries. torch_shm_manager is not one of them.
    *("torch/bin/test_*", "torch/bin/*Test", "torch/bin/*.pt*", "torch/bin/upgrader_models"),
    *("torch/lib/libaoti_custom_ops.so", "torch/lib/libbackend_with_compiler.so", "torch/lib/lib*bind_test.so"),
    "torch/lib/libjitbackend_test.so",
    # C and C++ sources, which are needed only to build extensions.
    *("**/*.h", "**/*.hpp", "**/*.c", "**/*.cc", "**/*.cpp", "**/*.cu", "**/*.a"),
    # GPU kernels, which the CPU build of torch cannot load.
    "torchao/_C*.so",
    # Installer records, which contain the location or the origin of a package.
    *("*.dist-info/RECORD", "*.dist-info/direct_url.json", "*.dist-info/INSTALLER", "*.dist-info/REQUESTED"),
    # Bazel would treat these folders as packages. It does not accept names with spaces.
    *("**/BUILD", "**/BUILD.bazel", "**/WORKSPACE", "**/* *"),
)
# CMake compiles its own C sources to examine a compiler.
_WITH_NEEDED_SOURCES = ("cmake",)
_WITH_TEST_SUITES = ("joblib", "mpmath", "networkx", "numpy", "pandas", "scipy", "setuptools", "sklearn", "sympy")
_DISK_SPACE_ADVICE = """
The packages with torch need about 1 GB in {root}, and as much again during installation. Free space there, or set
XDG_CACHE_HOME to another folder, and try again."""
_FOLDER_ADVICE = """
Packages are installed in {root}. Make this folder writable, or set XDG_CACHE_HOME to another folder, and try again."""
_ADVICE = {
    errno.ENOSPC: _DISK_SPACE_ADVICE,
    errno.EDQUOT: _DISK_SPACE_ADVICE,
    errno.EACCES: _FOLDER_ADVICE,
    errno.EPERM: _FOLDER_ADVICE,
    errno.EROFS: _FOLDER_ADVICE,
    errno.ENOTDIR: _FOLDER_ADVICE,
}
_TORCH_ADVICE = """
The locked torch is PyTorch's CPU build, which the default index does not have. Configure pip, for example with
  PIP_FIND_LINKS=<folder with the +cpu wheel>, or
  PIP_EXTRA_INDEX_URL=<PyTorch's index of CPU wheels: pytorch.org, "Get Started", CPU>
or the same settings in pip.conf, and try again."""


class _NoSuchTorch(BootstrapError):
    """The index does not have the locked build of torch.

    Another lock may name an available build.
    """

    EXIT_CODE = 3


def install(lock: Path, variables: Mapping[str, str] = _NO_VARIABLES) -> tuple[Path, bool]:
    """Return the cached folder of `lock`, and whether this call installed it.

    A missing or damaged entry is installed. `variables` are environment variables for packages that pip
    compiles.
    """
    entry = cache_root() / "python" / environment_key(lock, variables)
    if entry.exists() and not _is_complete(entry):
        shutil.rmtree(entry)
    installed = publish(entry, lambda folder: _fill_site(folder / "site", lock, variables))
    return entry / "site", installed


def pack(site: Path) -> Path:
    """Return the cached folder with the packages of `site`, with packed modules.

    `site` is a cached folder too.
    """
    key = hashlib.sha256(f"{packing_recipe()} {site.parent.name}".encode()).hexdigest()[:32]
    entry = cache_root() / "packed" / key
    publish(entry, lambda folder: _fill_packed_site(folder / "site", site), is_intact=_is_complete)
    return entry / "site"


def provide_site(site: Path, folder: Path) -> None:
    """Link the files of the cached `site` into `folder`, and copy its record."""
    record = site.with_name(_CONTENTS)
    if record.exists():
        shutil.copyfile(record, folder.with_name(_CONTENTS))
    provide(site, folder)


def environment_key(lock: Path, variables: Mapping[str, str] = _NO_VARIABLES) -> str:
    """Return the name of the cache entry.

    It depends on lock, variables, Python and recipe.
    """
    settings = sorted(f"{name}={value}" for name, value in variables.items())
    parts = (str(_RECIPE), sys.implementation.cache_tag, sysconfig.get_platform(), lock.read_text(), *settings)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _fill_site(site: Path, lock: Path, variables: Mapping[str, str]) -> None:
    _pip_install(site, lock, variables)
    for path in _unused_paths(site):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    compile_byte_code(site)
    _record_contents(site)


def _fill_packed_site(packed: Path, site: Path) -> None:
    pack_packages(site, packed)
    _record_contents(packed)


def _pip_install(site: Path, lock: Path, variables: Mapping[str, str]) -> None:
    command = [*find_pip(), "install", *_PIP_OPTIONS, "--target", str(site), "--requirement", str(lock)]
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
    if result.returncode:
        errors = pip_errors(result.stderr)
        room = _disk_space_advice(errors)
        if not room and "torch==" in errors:
            raise _NoSuchTorch(f"cannot install {lock.name}; pip reports:\n{errors}{_TORCH_ADVICE}")
        raise BootstrapError(f"cannot install {lock.name}; pip reports:\n{errors}{room}")


def _disk_space_advice(errors: str) -> str:
    """Return advice if pip reports a full disk."""
    return _DISK_SPACE_ADVICE.format(root=cache_root()) if os.strerror(errno.ENOSPC) in errors else ""


def describe_error(error: OSError, lock: Path) -> str:
    """Return a message for a failed file operation, with a remedy."""
    advice = _ADVICE.get(error.errno or 0, "").format(root=cache_root())
    return f"cannot install {lock.name}: {error.strerror}: {error.filename or cache_root()}{advice}"


def _unused_paths(site: Path) -> Iterator[Path]:
    for pattern in _UNUSED:
        found = sorted(site.glob(pattern))
        yield from (path for path in found if path.relative_to(site).parts[0] not in _WITH_NEEDED_SOURCES)
    for package in _WITH_TEST_SUITES:
        yield from sorted((site / package).glob("**/tests"))


def _record_contents(site: Path) -> None:
    files = sorted(path for path in site.rglob("*") if path.is_file())
    lines = [f"{path.stat().st_size} {path.relative_to(site)}\n" for path in files]
    site.with_name(_CONTENTS).write_text("".join(lines), encoding="utf-8")


def _is_complete(entry: Path) -> bool:
    """Return true if every installed file exists with its recorded size.

    Old entries without records count as complete.
    """
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


def _parse_options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Install the packages of a lock file once per user and machine.")
    parser.add_argument("lock", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--pack", action="store_true")
    parser.add_argument("--build-variable", action="append", default=[], metavar="NAME=VALUE")
    return parser.parse_args(words)


def main() -> int:
    options = _parse_options(sys.argv[1:])
    lock = options.lock
    try:
        site, installed = install(lock, dict(word.split("=", 1) for word in options.build_variable))
        if options.pack:
            site = pack(site)
        if options.folder:
            provide_site(site, options.folder)
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return error.EXIT_CODE
    except OSError as error:
        print(describe_error(error, lock), file=sys.stderr)
        return 1
    print(site)
    if installed:
        print(f"installed the packages of {lock.name} in {site.parent}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
