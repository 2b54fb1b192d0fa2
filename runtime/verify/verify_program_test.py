"""Test that verify_program accepts valid programs and rejects damaged ones."""

import os
import subprocess
from pathlib import Path

import pytest

_FIXTURES = Path("tests/fixtures")
_ADD = _FIXTURES / "tut02_basic_add.pte"


def _verify(stamp: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    command = [os.environ["VERIFY"], "//my:net_pte", str(stamp), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("program", sorted(_FIXTURES.glob("tut*.pte")), ids=lambda path: path.stem)
def test_official_programs_are_verified(program: Path, tmp_path: Path) -> None:
    run = _verify(tmp_path / "stamp", program)
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "stamp").read_bytes() == b""


def test_program_with_external_weights_is_verified(tmp_path: Path) -> None:
    run = _verify(tmp_path / "stamp", _FIXTURES / "ptd_mlp.pte", _FIXTURES / "mlp_weights.ptd")
    assert (run.returncode, run.stderr) == (0, "")


def test_external_weights_may_span_any_number_of_files(tmp_path: Path) -> None:
    weights = [tmp_path / f"{i}.ptd" for i in range(40)]
    for i, path in enumerate(weights):
        renamed = (
            (_FIXTURES / "mlp_weights.ptd")
            .read_bytes()
            .replace(b".weight", b".w%05d" % i)
            .replace(b".bias", b".%04d" % i)
        )
        path.write_bytes(renamed)
    run = _verify(tmp_path / "stamp", _ADD, *weights)
    assert (run.returncode, run.stderr) == (0, "")


def test_damaged_program_is_reported_with_its_target(tmp_path: Path) -> None:
    damaged = tmp_path / "net.pte"
    damaged.write_bytes(_ADD.read_bytes()[:500])
    run = _verify(tmp_path / "stamp", damaged)
    assert run.returncode == 1
    assert run.stderr.startswith(f"error: //my:net_pte: the runtime rejects {damaged}: INVALID_PROGRAM: ")
    assert not (tmp_path / "stamp").exists()


def test_missing_program_argument_prints_usage() -> None:
    run = subprocess.run([os.environ["VERIFY"]], capture_output=True, text=True, check=False)
    assert run.returncode == 2 and run.stderr.startswith("usage: ")
