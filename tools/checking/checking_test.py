"""Tests of the pinned tools and of the report of `tools/check`."""

import io
import os
import sys
import tarfile
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
sys.path[:0] = [str(_ROOT / folder) for folder in ("tools/checking", "rules/private/repository")]

from check import Check, Finding, carry_out, files_to_format, report
from commands import BootstrapError
from toolbox import check_sha512, extract

_SHA512_OF_ABC = "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="


def _archive(folder: Path) -> Path:
    path = folder / "package.tgz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("package/program")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"abc"))
    return path


def test_pinned_download_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "package.tgz"
    path.write_bytes(b"abc")
    check_sha512(path, _SHA512_OF_ABC)


def test_download_with_another_digest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "package.tgz"
    path.write_bytes(b"abd")
    with pytest.raises(BootstrapError, match="package.tgz: sha512 is .* this is not the pinned release"):
        check_sha512(path, _SHA512_OF_ABC)


def test_program_is_extracted_from_its_archive(tmp_path: Path) -> None:
    extract(_archive(tmp_path), "package/program", tmp_path / "program")
    assert (tmp_path / "program").read_bytes() == b"abc"
    assert os.access(tmp_path / "program", os.X_OK)


def test_check_result_is_its_exit_code() -> None:
    found = carry_out(Check("name", [sys.executable, "-c", "print('something')"]))
    assert (found.name, found.passed, found.output) == ("name", True, "something\n")
    assert not carry_out(Check("name", [sys.executable, "-c", "raise SystemExit(3)"])).passed


def test_check_receives_its_environment() -> None:
    program = "import os; raise SystemExit(os.environ['PYTHONPATH'] != 'here')"
    assert carry_out(Check("name", [sys.executable, "-c", program], {"PYTHONPATH": "here"})).passed


def test_unformatted_file_is_named_once() -> None:
    place = "a/b.c:{}:1: error: code should be clang-formatted [-Wclang-format-violations]\nint  a;\n   ^\n"
    assert (
        files_to_format(place.format(3) + place.format(9) + place.format(1).replace("b.c", "c.h")) == "a/b.c\na/c.h\n"
    )


def test_failed_checks_are_printed_and_counted() -> None:
    text = report([Finding("good", True, "silent", 1.0), Finding("bad", False, "file.c:1: wrong\n", 2.0)])
    assert text.splitlines() == [
        "--- bad",
        "file.c:1: wrong",
        "ok       1.0 s  good",
        "FAILED   2.0 s  bad",
        "1 passed, 1 failed",
    ]
