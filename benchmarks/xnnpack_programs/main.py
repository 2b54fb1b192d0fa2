"""Compare programs lowered for XNNPACK on both runtimes.

./bazelw run //benchmarks:xnnpack_programs -- [PROGRAM…]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from pathlib import Path

import torch

from benchmarks.latency.conversion import converted
from benchmarks.latency.machine import description
from benchmarks.latency.native import Library
from benchmarks.latency.sides.side import Missing
from benchmarks.xnnpack_programs import table
from benchmarks.xnnpack_programs.comparison import Comparison, compare
from benchmarks.xnnpack_programs.roster import PROGRAMS, Lowered


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="xnnpack_programs",
        description="Programs lowered for XNNPACK, on this project's runtime and on the official one.",
    )
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"one of {', '.join(PROGRAMS)}; default: all")
    parser.add_argument("--rounds", type=int, default=25, help="runs of each runtime")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    options = parser.parse_args(arguments)
    for name in options.programs:
        if name not in PROGRAMS:
            parser.error(f"unknown program '{name}'; choose from: {', '.join(PROGRAMS)}")
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}")
    return options


def _compared(lowered: Lowered, library: Library, rounds: int) -> Comparison | None:
    """Return the comparison, or None after printing the reason."""
    try:
        path = converted(lowered.side, lowered.model)
    except Missing as reason:
        print(f"{lowered.name}: skipped: {reason}", flush=True)
        return None
    return compare(lowered, path, library, rounds)


def main(arguments: list[str]) -> None:
    options = _options(arguments)
    torch.set_grad_enabled(False)
    torch.set_num_threads(1)
    library = Library()
    machine = description()
    print(f"{machine['date']}, {machine['processor']}, load {machine['load_average']:.1f}")
    print(table.heading(library.unit), flush=True)
    found = []
    for name in options.programs or PROGRAMS:
        comparison = _compared(PROGRAMS[name], library, options.rounds)
        if comparison is not None:
            print(table.row(comparison), flush=True)
            found.append(dataclasses.asdict(comparison))
    if options.json:
        path = Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), options.json)
        path.write_text(json.dumps({**machine, "unit": library.unit, "programs": found}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
