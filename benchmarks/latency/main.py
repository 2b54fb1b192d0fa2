"""Measure models on this project's runtime and its peers, alternately.

./bazelw run //benchmarks:latency -- MODEL…
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.latency.hold import hold
from benchmarks.latency.machine import instruction_sets
from benchmarks.latency.native import Library


def _isa(arguments: list[str]) -> str:
    """Return the value of --isa. The complete parser reports errors."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--isa", default=instruction_sets()[-1])
    return parser.parse_known_args(arguments)[0].isa


def main() -> None:
    library = Library()
    held = hold(library, _isa(sys.argv[1:]))
    # Import torch only after this call, which cannot restrict libraries that are already loaded.
    from benchmarks.latency.command import run

    run(sys.argv[1:], library, held)


if __name__ == "__main__":
    main()
