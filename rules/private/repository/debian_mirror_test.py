"""Tests that the mirror of the machine's Debian release is found."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parent))

import debian_mirror


def _write_apt_get(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a script in place of apt-get."""
    program = folder / "apt-get"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(debian_mirror, "debian_codename", lambda: "bookworm")


def test_mirror_of_the_release_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "'https://deb.example/security/dists/bookworm-security/InRelease' a 0",
        "'https://deb.example/debian/dists/bookworm/InRelease' b 0",
    ]
    _write_apt_get(tmp_path, "\n".join(f'echo "{line}"' for line in lines), monkeypatch)
    assert debian_mirror.main() == 0
    assert capsys.readouterr().out == "https://deb.example/debian\n"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo nothing", "the apt sources have no mirror of this machine's release"),
        ("echo offline >&2; exit 1", "offline"),
    ],
)
def test_missing_mirror_is_an_error(
    script: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _write_apt_get(tmp_path, script, monkeypatch)
    assert debian_mirror.main() == 1
    assert message in capsys.readouterr().err


def test_codename_is_a_field_of_the_release_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = tmp_path / "os-release"
    monkeypatch.setattr(debian_mirror, "Path", lambda _: release)
    release.write_text('# Written by hand\nHOME_URL="https://a.example/?b=c"\n\nVERSION_CODENAME="bookworm"\n')
    assert debian_mirror.debian_codename() == "bookworm"
    release.write_text("ID=other\n")
    assert debian_mirror.debian_codename() == "unknown"
