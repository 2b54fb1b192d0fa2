"""Tests downloads of Debian packages, with stand-ins for apt-get and dpkg-deb."""

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parent))

import debian_mirror
import pip_command
import private_apt
from commands import BootstrapError
from private_apt import PrivateApt

# Knows the package `tool`, and "downloads" the files in the folder `root`.
_APT_GET = """\
#!/bin/sh
[ "$*" != "update --print-uris" ] || { echo "'https://deb.example/debian/dists/bookworm/InRelease' a 0"; exit; }
folder=${2#--config-file=} && folder=${folder%/*} && shift 2
echo "$*" >>"@/log"
cat "$folder/sources.list" "$folder/status" "$folder/apt.conf" >"@/files"
for name; do :; done
case $1:$name in
    update:*) ;;
    *:tool | *:python3-pip-whl) tar -cf "$folder/cache/archives/$name.deb" -C "@/root" . ;;
    *) echo "Unable to locate package $name" >&2 && exit 100 ;;
esac
"""
_DPKG_DEB = '#!/bin/sh\n[ "$1" = --fsys-tarfile ] && cat "$2" && [ ! -e "@/damaged" ]\n'
_WHEEL = "usr/share/python-wheels/pip-23.0-py3-none-any.whl"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of a machine whose apt-get and dpkg-deb are stand-ins."""
    for name, script in (("apt-get", _APT_GET), ("dpkg-deb", _DPKG_DEB)):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(script.replace("@", str(tmp_path)))
        program.chmod(0o755)
    for name in (_WHEEL, "usr/share/doc/tool/README"):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True)
        path.write_text("content")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for module in (debian_mirror, pip_command):
        monkeypatch.setattr(module, "debian_codename", lambda: "bookworm")
    return tmp_path


@pytest.fixture
def apt(machine: Path) -> PrivateApt:
    apt = PrivateApt(machine / "apt", "https://deb.example/debian", "trixie", "arm64", ["host-tool"])
    apt.update()
    return apt


def test_lists_of_the_suite_are_fetched_without_state_of_the_machine(machine: Path, apt: PrivateApt) -> None:
    apt.update()
    assert (machine / "log").read_text() == "update\nupdate\n"
    text = (machine / "files").read_text()
    source = f"deb [arch=arm64 signed-by={private_apt._KEYRING}] https://deb.example/debian trixie main\n"
    assert text.startswith(source + "Package: host-tool\nStatus: install ok installed\n")
    for option in ("Dir::State", "Dir::Cache", "Dir::Etc::sourcelist", "Dir::State::status"):
        assert f'\n{option} "{apt.folder}' in text
    assert '\nAPT::Architecture "arm64";\n' in text
    for folder in ("lists/partial", "cache/archives/partial", "preferences.d"):
        assert (apt.folder / folder).is_dir()


def test_packages_are_unpacked_without_documentation(machine: Path, apt: PrivateApt) -> None:
    apt.unpack(["tool"], machine / "to/unpacked")
    assert (machine / "log").read_text() == "update\ninstall --download-only --yes tool\n"
    files = [str(path.relative_to(machine / "to/unpacked")) for path in (machine / "to").rglob("*") if path.is_file()]
    assert files == [_WHEEL]


def test_damaged_packages_are_errors(machine: Path, apt: PrivateApt) -> None:
    (machine / "damaged").touch()
    with pytest.raises(BootstrapError, match="cannot unpack tool.deb"):
        apt.unpack(["tool"], machine / "unpacked")


def test_only_packages_of_the_suite_exist(apt: PrivateApt) -> None:
    assert apt.has("tool")
    assert not apt.has("other")


def test_pip_comes_from_debian_if_python_has_none(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(pip_command, "_wheel_in", lambda _: None)
    python, program = pip_command.find_pip()
    assert python == sys.executable
    assert Path(program).parent.read_text() == "content" and Path(program).parent.name == Path(_WHEEL).name
    assert Path(program).is_relative_to(machine / "cache")
    assert not list((machine / "cache").rglob("private-apt-*"))


def test_pip_of_python_is_preferred_to_a_download(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = machine / "lib/ensurepip/_bundled/pip-23.0-py3-none-any.whl"
    bundled.parent.mkdir(parents=True)
    bundled.touch()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(pip_command, "_DEBIAN_WHEELS", str(machine / "none"))
    monkeypatch.setattr(pip_command.tempfile, "__file__", str(machine / "lib/tempfile.py"))
    assert pip_command.find_pip() == [sys.executable, f"{bundled}/pip"]


def test_missing_pip_is_explained_if_debian_has_none(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(pip_command, "_wheel_in", lambda _: None)
    (machine / "damaged").touch()
    with pytest.raises(
        BootstrapError, match="has no pip; install it .*downloading it from Debian failed: cannot unpack"
    ):
        pip_command.find_pip()
