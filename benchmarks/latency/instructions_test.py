"""Tests of counting with callgrind: the protocol, and the parser of its file.

valgrind itself is not needed: fake programs with its names record their arguments.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.latency.instructions import DONE, READY, Counts, count, parse, table
from benchmarks.latency.sides.side import Missing

_DUMP = """# callgrind format
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
fn=(1) main
16 400
totals: 1000 300 50 7 20 3 2 1
"""

# Runs the command after the options, and writes the folder of its output file next to itself.
_VALGRIND = """#!{python}
import os, pathlib, subprocess, sys
out, = (each.split("=", 1)[1] for each in sys.argv[1:] if each.startswith("--callgrind-out-file="))
beside = pathlib.Path(__file__).parent
beside.joinpath("out").write_text(out)
command = [each for each in sys.argv[1:] if not each.startswith("--")]
os.execv(command[0], command)
"""

_CONTROL = """#!{python}
import pathlib, sys
beside = pathlib.Path(__file__).parent
with beside.joinpath("requests").open("a") as requests:
    print(sys.argv[1], file=requests)
if sys.argv[1] == "--dump":
    pathlib.Path(beside.joinpath("out").read_text() + ".1").write_text({dump!r})
"""

_COUNTED = """
import pathlib, sys
print("something else")
print({ready!r}, flush=True)
for line in sys.stdin:
    with pathlib.Path({folder!r}, "requests").open("a") as requests:
        print(line.strip(), file=requests)
    print({done!r}, flush=True)
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with fake valgrind programs, which is first on the PATH."""
    for name, source in (("valgrind", _VALGRIND), ("callgrind_control", _CONTROL)):
        program = tmp_path / name
        program.write_text(source.format(python=sys.executable, dump=_DUMP))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def _script(folder: Path, source: str) -> list[str]:
    script = folder / "counted.py"
    script.write_text(source)
    return [sys.executable, str(script)]


def test_the_second_of_two_runs_is_counted(programs: Path) -> None:
    source = _COUNTED.format(ready=READY, done=DONE, folder=str(programs))
    counts = count(_script(programs, source))
    assert counts == Counts(instructions=1000, reads=300, writes=50, near_misses=23, far_misses=1)
    requests = (programs / "requests").read_text().split()
    assert requests == ["--instr=on", "run", "--zero", "run", "--dump"]


def test_failed_process_is_reported_with_its_last_line(programs: Path) -> None:
    with pytest.raises(Missing, match="it failed under valgrind: onnxruntime is not installed"):
        count(_script(programs, "import sys; sys.exit('a line\\nonnxruntime is not installed')"))


def test_missing_valgrind_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match="valgrind is not installed; install valgrind"):
        count(["true"])


def test_totals_are_parsed_from_a_complete_line() -> None:
    assert parse(_DUMP.replace("2 1\n", "2 1 4\n")).far_misses == 5


def test_instruction_table_compares_peers_with_ours() -> None:
    counts = {"ours, cpu": Counts(80_000_000, 1, 1, 1, 1), "other": Counts(100_000_000, 1, 1, 1, 1)}
    head, _, ours, other = table("net", 640_000_000, counts)
    assert "at least 40.0 vector multiply-adds" in head
    assert ours.split()[2:5] == ["80.0", "1.00", "50%"]
    assert other.split()[1:4] == ["100.0", "0.80", "40%"]
