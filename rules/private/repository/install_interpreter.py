"""Copy the running interpreter and its standard library once per user and machine.

    python3 install_interpreter.py FOLDER     # prints the entry's name; FOLDER gets `bin/python3` and `lib` (or `lib64`)

An interpreter finds its standard library relative to itself, so the copy uses the files in the
repository. The only files of the machine that it uses are system libraries such as the C library.
As for packages (install_environment.py), the same Python yields the same bytes, files that a
compilation never reads are omitted, and FOLDER has hard links to the files. The library's modules
are in an archive, which the interpreter's `sitecustomize` installs (pack_modules.py). The modules
that the interpreter imports before are files.
"""

import fnmatch
import hashlib
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from commands import BootstrapError, compile_byte_code, run
from pack_modules import IMPORTER, IMPORTER_SOURCE, pack_modules, packing_recipe
from user_cache import cache_root, provide, publish

_RECIPE = 2  # Increase it if the same interpreter yields different files.
_LIBRARY = sys.platlibdir  # name of the library folder, next to the folder of the program
_UNUSED = (
    *("test", "tests", "__pycache__", "site-packages", "dist-packages", "config-*", "*.a"),
    *("idlelib", "tkinter", "turtledemo", "turtle.py", "ensurepip", "lib2to3", "pydoc_data"),
    *("_tkinter*.so", "_test*.so", "_ctypes_test*.so", "xxlimited*.so"),
    # Customizations that a distribution applies to all its programs.
    *("sitecustomize.py", "usercustomize.py", "EXTERNALLY-MANAGED"),
)
# Prints the files of the modules that the interpreter imports before it can use the archive.
_STARTUP = f"import sys, {IMPORTER}; print(*(getattr(m, '__file__', '') for m in sys.modules.values()), sep='\\n')"
_ARCHIVE = f"{IMPORTER}.pack"
# Encodings of standard streams, which the interpreter imports even earlier.
_ENCODINGS = ("ascii", "latin_1", "utf_8")
_CUSTOMIZATION = f"""\
import os

from {IMPORTER} import install

install(os.path.dirname(__file__))
"""
# Run path of the copied program: the folder of its own libpython.
_RUN_PATH = f"$ORIGIN/../{_LIBRARY}".encode()


def install() -> Path:
    """Return the cached folder with the interpreter."""
    entry = cache_root() / "interpreter" / interpreter_key()
    publish(entry, _fill_entry)
    return entry


def interpreter_key() -> str:
    """Return the name of the cache entry.

    It depends on the interpreter's build and the recipe.
    """
    program = hashlib.sha256(_interpreter_file().read_bytes()).hexdigest()
    parts = (str(_RECIPE), packing_recipe(), sys.version, sysconfig.get_platform(), program)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _interpreter_file() -> Path:
    """Return the interpreter's file, without virtual environments and symbolic links."""
    return Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))


def _fill_entry(folder: Path) -> None:
    for name in ("stdlib", "platstdlib"):
        source = Path(sysconfig.get_path(name, vars={"base": sys.base_prefix, "platbase": sys.base_exec_prefix}))
        target = folder / _LIBRARY / source.name
        shutil.copytree(source, target, ignore=_ignored_names, dirs_exist_ok=True)
    compile_byte_code(folder / _LIBRARY)
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").write_bytes(_with_bundled_library(_interpreter_file().read_bytes(), folder / _LIBRARY))
    (folder / "bin" / "python3").chmod(0o755)
    _pack_library(folder / "bin" / "python3", folder / _LIBRARY / Path(sysconfig.get_path("stdlib")).name)


def _pack_library(program: Path, library: Path) -> None:
    if (library / _ARCHIVE).exists():
        return
    shutil.copyfile(IMPORTER_SOURCE, library / f"{IMPORTER}.py")
    command = [str(program), "-B", "-c", _STARTUP]
    # The interpreter resolves symbolic links in the path of its program.
    files = {os.path.realpath(line) for line in run(command, env={"LC_ALL": "C.UTF-8"}).splitlines()}
    files.update(os.path.realpath(library / "encodings" / f"{name}.py") for name in _ENCODINGS)
    packed = library.with_name("packed")
    pack_modules(library, packed, [path for path in library.rglob("*.py") if os.path.realpath(path) not in files])
    (packed / "sitecustomize.py").write_text(_CUSTOMIZATION)
    shutil.rmtree(library)
    packed.rename(library)


def _ignored_names(_: str, names: list[str]) -> set[str]:
    if _ARCHIVE in names:  # the library of a copied interpreter
        return {"__pycache__"}
    return {name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in _UNUSED)}


def _with_bundled_library(program: bytes, library: Path) -> bytes:
    """Return the program.

    If it needs a libpython, copy that to `library` and use the copy.
    """
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        return program
    folder = str(sysconfig.get_config_var("LIBDIR"))
    shutil.copy(Path(folder, str(sysconfig.get_config_var("INSTSONAME"))), library)
    return _replace_run_path(program, folder.encode())


def _replace_run_path(program: bytes, folder: bytes) -> bytes:
    """Replace the run path `folder` in the program with the path of its own libpython.

    The program is unchanged if the run path does not occur exactly once or is too short.
    """
    old = b"\0" + folder + b"\0"
    if program.count(old) != 1 or len(folder) < len(_RUN_PATH):
        return program
    return program.replace(old, b"\0" + _RUN_PATH.ljust(len(folder), b"\0") + b"\0")


def main() -> int:
    (folder,) = map(Path, sys.argv[1:])
    try:
        entry = install()
        for name in ("bin", _LIBRARY):
            provide(entry / name, folder / name)
    except (BootstrapError, OSError) as error:
        print(f"cannot copy the interpreter {_interpreter_file()}: {error}", file=sys.stderr)
        return 1
    print(entry.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
