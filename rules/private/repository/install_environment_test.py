"""Tests of installing an environment: once, reproducibly, and with helpful errors."""

import errno
import hashlib
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parent))

import install_environment
from commands import BootstrapError

_VARIABLE = "--build-variable=CMAKE_ARGS=-DA=B -DC=D"
_FAKE_PIP = """
import pathlib, sys
site = pathlib.Path(sys.argv[sys.argv.index("--target") + 1])
for name in ("package/__init__.py", "package/BUILD.bazel", "bin/tool", "package-1.dist-info/RECORD", "numpy/tests/t.py"):
    path = site / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("VALUE = frozenset(('a', 'b', 'c'))\\n")
"""


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    _use_pip(monkeypatch, tmp_path, _FAKE_PIP)
    path = tmp_path / "requirements.lock"
    path.write_text("package==1 --hash=sha256:00\n")
    return path


def _use_pip(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> None:
    script = folder / "fake_pip.py"
    script.write_text(program)
    monkeypatch.setattr(install_environment, "find_pip", lambda: [sys.executable, str(script)])


def _file_digests(site: Path) -> dict[str, str]:
    files = [path for path in site.rglob("*") if path.is_file()]
    return {str(path.relative_to(site)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_environment_key_changes_only_with_the_lock(lock: Path) -> None:
    before = install_environment.environment_key(lock)
    moved = lock.rename(lock.with_name("moved.lock"))
    assert install_environment.environment_key(moved) == before
    moved.write_text("package==2 --hash=sha256:00\n")
    assert install_environment.environment_key(moved) != before


_PIP_THAT_TELLS = (
    _FAKE_PIP
    + """
import os
(site / "package/__init__.py").write_text(f"VALUE = {os.environ.get('CMAKE_ARGS')!r}\\n")
"""
)


def test_environment_variables_reach_pip_and_the_key(
    lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _use_pip(monkeypatch, tmp_path, _PIP_THAT_TELLS)
    plain, _ = install_environment.install(lock)
    monkeypatch.setattr(sys, "argv", ["install_environment.py", str(lock), str(tmp_path / "site"), _VARIABLE])
    assert install_environment.main() == 0
    assert (tmp_path / "site/package/__init__.py").read_text() == "VALUE = '-DA=B -DC=D'\n"
    assert (plain / "package/__init__.py").read_text() == "VALUE = None\n"


def test_second_install_does_not_run_pip(lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, installed = install_environment.install(lock)
    assert installed
    _use_pip(monkeypatch, tmp_path, "raise SystemExit('no network')")
    assert install_environment.install(lock) == (first, False)


def test_repeated_installs_are_identical(lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = _file_digests(install_environment.install(lock)[0])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another/cache"))
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    assert _file_digests(install_environment.install(lock)[0]) == first


def test_bytecode_is_installed_and_unused_files_are_not(lock: Path) -> None:
    site, _ = install_environment.install(lock)
    tag = sys.implementation.cache_tag
    assert set(_file_digests(site)) == {"package/__init__.py", f"package/__pycache__/__init__.{tag}.pyc"}


def test_sources_that_cmake_compiles_are_installed(tmp_path: Path) -> None:
    for package in ("cmake", "other"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "probe.c").touch()
    assert list(install_environment._unused_paths(tmp_path)) == [tmp_path / "other/probe.c"]


@pytest.mark.parametrize("damaged", [".", "package/__init__.py"])
def test_damaged_environment_is_reinstalled(lock: Path, damaged: str) -> None:
    site, _ = install_environment.install(lock)
    whole = _file_digests(site)
    path = site / damaged
    shutil.rmtree(path) if path.is_dir() else path.write_text("")
    again, installed = install_environment.install(lock)
    assert installed and _file_digests(again) == whole


def test_environment_survives_deletion_of_the_cache(lock: Path, tmp_path: Path) -> None:
    site, _ = install_environment.install(lock)
    whole = _file_digests(site)
    (tmp_path / "repository").mkdir()
    install_environment.provide_site(site, tmp_path / "repository/site")
    shutil.rmtree(tmp_path / "cache")
    assert _file_digests(tmp_path / "repository/site") == whole


def test_environment_on_another_disk_is_a_link(lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    site, _ = install_environment.install(lock)
    install_environment.provide_site(site, tmp_path / "site")
    assert (tmp_path / "site").readlink() == site


def test_missing_cpu_torch_build_is_explained(lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _use_pip(monkeypatch, tmp_path, "raise SystemExit('No matching distribution found for torch==2.13.0+cpu')")
    with pytest.raises(BootstrapError, match="(?s)torch==2.13.0.*PIP_FIND_LINKS.*PIP_EXTRA_INDEX_URL"):
        install_environment.install(lock)


def test_failed_install_leaves_no_files(lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _use_pip(monkeypatch, tmp_path, _FAKE_PIP + "raise SystemExit('disk full')")
    with pytest.raises(BootstrapError, match="disk full"):
        install_environment.install(lock)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.name == "site"]


_FULL_PIP = """
import sys
sys.exit("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device")
"""


def test_full_disk_during_pip_is_reported(lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _use_pip(monkeypatch, tmp_path, _FULL_PIP)
    with pytest.raises(BootstrapError, match="Free space there, or set\nXDG_CACHE_HOME"):
        install_environment.install(lock)
    assert not [
        path
        for path in (tmp_path / "cache").rglob("*")
        if path.is_dir() and path.name not in ("rules_executorch", "python")
    ]


@pytest.mark.parametrize(
    ("number", "advice"), [(errno.ENOSPC, "Free space there"), (errno.EROFS, "Make this folder writable")]
)
def test_unwritable_package_folder_is_reported(
    number: int, advice: str, lock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number), "/cache/x")

    monkeypatch.setattr(install_environment, "publish", fail)
    monkeypatch.setattr(sys, "argv", ["install_environment.py", str(lock)])
    assert install_environment.main() == 1
    message = capsys.readouterr().err
    assert message.startswith(f"cannot install requirements.lock: {os.strerror(number)}: /cache/x\n")
    assert advice in message


def test_cache_path_below_a_file_is_reported(
    lock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(lock))
    monkeypatch.setattr(sys, "argv", ["install_environment.py", str(lock)])
    assert install_environment.main() == 1
    assert "Make this folder writable" in capsys.readouterr().err
