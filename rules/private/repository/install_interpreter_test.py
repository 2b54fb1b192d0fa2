"""Tests that a copied interpreter runs alone, with a complete library."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parent))

import install_interpreter
from commands import BootstrapError

_FACTS = """
import ctypes, hashlib, inspect, json, os, sys, sysconfig, tomllib, unittest
has_source = inspect.getsource(json.dumps).startswith("def dumps")
print(json.dumps([sys.version, sys.prefix, json.__file__, has_source, [each for each in sys.path if each]]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a copy of the interpreter that runs the tests."""
    folder = tmp_path_factory.mktemp("repository")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
    program = install_interpreter.__file__
    result = subprocess.run([sys.executable, "-B", program, folder], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout == install_interpreter.interpreter_key() + "\n"
    return folder


def test_interpreter_uses_adjacent_files(folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "python3"
    link.symlink_to(folder / "bin/python3")
    result = subprocess.run([link, "-I", "-c", _FACTS], env={}, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    version, prefix, source, has_source, path = json.loads(result.stdout)
    assert version == sys.version
    assert prefix == str(folder)
    assert Path(source).is_relative_to(folder) and has_source
    assert path and all(Path(entry).is_relative_to(folder) for entry in path)


@pytest.mark.parametrize("encoding", ["ascii", "iso8859-1", "utf-8"])
def test_standard_streams_have_any_encoding(folder: Path, encoding: str) -> None:
    command = [str(folder / "bin/python3"), "-c", "import sys; print(sys.stdout.encoding)"]
    result = subprocess.run(command, env={"PYTHONIOENCODING": encoding}, capture_output=True, text=True)
    assert result.stdout == f"{encoding}\n", result.stderr


def test_library_modules_are_in_one_archive(folder: Path) -> None:
    sources = [path.name for path in folder.rglob("*.py")]
    assert len(sources) < 40 and "sitecustomize.py" in sources and "json" not in os.listdir(folder / "lib/python3.11")
    assert len(list(folder.rglob("*.pack"))) == 1


def test_unused_interpreter_files_are_omitted(folder: Path) -> None:
    names = {path.name for path in folder.rglob("*")}
    assert names.isdisjoint({"test", "tests", "idlelib", "ensurepip", "site-packages"})
    assert not any(name.endswith(".a") for name in names)


def test_bundled_library_is_found_next_to_the_interpreter() -> None:
    folder = b"/opt/python/3.12/lib"
    relocated = install_interpreter._replace_run_path(b"ELF\0" + folder + b"\0more", folder)
    assert relocated == b"ELF\0" + b"$ORIGIN/../lib".ljust(len(folder), b"\0") + b"\0more"
    for left in (b"ELF\0/usr/lib\0", b"ELF\0/elsewhere/lib\0"):
        assert install_interpreter._replace_run_path(left, b"/usr/lib") == left


def test_interpreter_that_does_not_start_is_reported(tmp_path: Path) -> None:
    program = tmp_path / "python3"
    program.write_text("#!/bin/sh\necho no library >&2\nexit 1\n")
    program.chmod(0o755)
    (tmp_path / "lib").mkdir()
    with pytest.raises(BootstrapError, match="failed:\nno library"):
        install_interpreter._pack_library(program, tmp_path / "lib")
