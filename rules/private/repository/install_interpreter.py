"""Copy the interpreter that runs this, with its standard library, once for a user and machine, and put it into a repository.

    python3 install_interpreter.py FOLDER     # prints the name of what is in it; FOLDER gets `bin/python3` and `lib` (or `lib64`)

An interpreter looks for its library beside itself, so the copy uses what lies in the repository and nothing of the machine's
but the C library and the like. It is made like the folder of packages (install_environment.py): the same Python gives the same
bytes, what compiling never reads is left out, and FOLDER has hard links to the files.
"""

import fnmatch
import hashlib
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from byte_code import compile_byte_code
from errors import BootstrapError
from user_cache import cache_root, provide, publish

_RECIPE = 1  # Raise it when what is copied from the same interpreter changes.
_LIBRARY = sys.platlibdir  # the name that the interpreter looks for beside the folder of its program
_UNUSED = (
    *("test", "tests", "__pycache__", "site-packages", "dist-packages", "config-*", "*.a"),
    *("idlelib", "tkinter", "turtledemo", "turtle.py", "ensurepip", "lib2to3", "pydoc_data"),
    *("_tkinter*.so", "_test*.so", "_ctypes_test*.so", "xxlimited*.so"),
    # What a distribution does to all programs of its own.
    *("sitecustomize.py", "usercustomize.py", "EXTERNALLY-MANAGED"),
)
# Where the copied program finds a libpython of its own, from the folder that it lies in.
_RUN_PATH = f"$ORIGIN/../{_LIBRARY}".encode()


def install() -> Path:
    """The cached folder with the interpreter."""
    entry = cache_root() / "interpreter" / interpreter_key()
    publish(entry, _fill)
    return entry


def interpreter_key() -> str:
    """The same build of an interpreter gives the same name on every machine."""
    program = hashlib.sha256(_program().read_bytes()).hexdigest()
    parts = (str(_RECIPE), sys.version, sysconfig.get_platform(), program)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _program() -> Path:
    """The file itself, where this runs in a virtual environment or by a link as well."""
    return Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))


def _fill(folder: Path) -> None:
    for name in ("stdlib", "platstdlib"):
        source = Path(sysconfig.get_path(name, vars={"base": sys.base_prefix, "platbase": sys.base_exec_prefix}))
        target = folder / _LIBRARY / source.name
        shutil.copytree(source, target, ignore=_ignored, dirs_exist_ok=True)
    compile_byte_code(folder / _LIBRARY)
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").write_bytes(_with_own_library(_program().read_bytes(), folder / _LIBRARY))
    (folder / "bin" / "python3").chmod(0o755)


def _ignored(_: str, names: list[str]) -> set[str]:
    return {name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in _UNUSED)}


def _with_own_library(program: bytes, library: Path) -> bytes:
    """The program, and where it needs a libpython, that beside its library."""
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        return program
    folder = str(sysconfig.get_config_var("LIBDIR"))
    shutil.copy(Path(folder, str(sysconfig.get_config_var("INSTSONAME"))), library)
    return _relocated(program, folder.encode())


def _relocated(program: bytes, folder: bytes) -> bytes:
    """With `folder`, where it looks for libraries, replaced by the folder of its own; a name of the system's is left."""
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
        print(f"cannot copy the interpreter {_program()}: {error}", file=sys.stderr)
        return 1
    print(entry.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
