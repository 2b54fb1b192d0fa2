"""Count instructions and cache misses of one run of each side with callgrind.

Counts do not depend on the load and need no hardware counters. valgrind emulates a processor with AVX2, and simulates
caches of this machine's sizes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from benchmarks.latency.catalog import Model
from benchmarks.latency.conversion import converted
from benchmarks.latency.sides.side import Missing, Side, converts

ISA = "avx2"
READY, DONE = "counting may begin", "a run is done"
"""Lines that the counted process prints (benchmarks/latency/counted.py)."""

_LANES = 8  # float32 elements of an AVX2 vector
_PROGRAMS = ("valgrind", "callgrind_control")
_OURS = "ours, cpu"


@dataclass(frozen=True)
class Counts:
    """Instructions and data accesses of one run, in all threads."""

    instructions: int
    reads: int
    writes: int
    near_misses: int  # misses of the first-level caches
    far_misses: int  # misses of the last-level cache


def text(model: Model, sides: Iterable[Side]) -> str:
    """Format the table of one model, and a line for each missing side."""
    counts: dict[str, Counts] = {}
    missing = []
    for side in sides:
        if side.takes(model):
            try:
                counts[side.name] = _count(model, side)
            except Missing as reason:
                missing.append(f"  {side.name}: skipped: {reason}")
    return "\n".join([*table(model.name, model.operations, counts), *missing])


def table(name: str, operations: int, counts: dict[str, Counts]) -> list[str]:
    """Format the table. `operations` counts a multiply-add of the model as two."""
    multiply_adds = operations / 2 / _LANES
    lines = [f"{name}: one run, in millions, with at least {multiply_adds / 1e6:.1f} vector multiply-adds"]
    heads = ("instr.", "ours / it", "mul-adds", "reads", "writes", "near misses", "far misses")
    lines.append(f"  {'side':18s}" + "".join(f"{head:>12s}" for head in heads))
    ours = counts.get(_OURS)
    for side, counted in counts.items():
        ratio = f"{ours.instructions / counted.instructions:.2f}" if ours else "-"
        lines.append(
            f"  {side:18s}{counted.instructions / 1e6:12.1f}{ratio:>12s}{multiply_adds / counted.instructions:12.0%}"
            f"{counted.reads / 1e6:12.1f}{counted.writes / 1e6:12.1f}{counted.near_misses / 1e6:12.2f}{counted.far_misses / 1e6:12.3f}"
        )
    return lines


def _count(model: Model, side: Side) -> Counts:
    if converts(side):
        converted(side, model)
    return count([sys.executable, "-m", "benchmarks.latency.counted", side.name, model.name])


def count(command: Sequence[str]) -> Counts:
    """Count one run of a process.

    The process prints READY. For each line that it reads, it runs once and prints DONE.

    Raises `Missing` if valgrind is not installed or the process ends early.
    """
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed; install valgrind")
    with TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        options = ["--tool=callgrind", "--cache-sim=yes", "--instr-atstart=no", f"--callgrind-out-file={out}"]
        with TemporaryFile("w+") as errors, _started(["valgrind", *options, *command], errors) as process:
            try:
                _converse(process)
            except EOFError:
                raise Missing(f"it failed under valgrind: {_last_line(errors)}") from None
        return parse(out.with_name("counts.1").read_text())


def _started(command: Sequence[str], errors: IO[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)


def _last_line(file: IO[str]) -> str:
    file.seek(0)
    return (file.read().strip() or "no message").splitlines()[-1]


def _converse(process: subprocess.Popen[str]) -> None:
    """Count the second run after counting is enabled; the first one warms the caches."""
    _wait_for(process, READY)
    _control(process, "--instr=on")
    _run_once(process)
    _control(process, "--zero")
    _run_once(process)
    _control(process, "--dump")
    assert process.stdin
    process.stdin.close()


def _run_once(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("run\n")
    process.stdin.flush()
    _wait_for(process, DONE)


def _wait_for(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout
    for said in process.stdout:
        if said.strip() == line:
            return
    raise EOFError


def _control(process: subprocess.Popen[str], request: str) -> None:
    control = subprocess.run(["callgrind_control", request, str(process.pid)], capture_output=True, text=True)
    if control.returncode:
        raise Missing(f"callgrind_control {request} failed: {control.stderr.strip()}")


def parse(dump: str) -> Counts:
    """Parse callgrind's file: event names, and totals without trailing zeros."""
    fields = dict(line.split(": ", 1) for line in dump.splitlines() if line.startswith(("events: ", "totals: ")))
    events = Counter(dict(zip(fields["events"].split(), map(int, fields["totals"].split()))))
    return Counts(
        instructions=events["Ir"],
        reads=events["Dr"],
        writes=events["Dw"],
        near_misses=events["D1mr"] + events["D1mw"],
        far_misses=events["DLmr"] + events["DLmw"],
    )
