"""Models on this project's runtime and on its peers, all in one process, in turn.

./bazelw run //benchmarks:latency -- MODEL…
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.latency.machine import instruction_sets
from benchmarks.latency.native import Library


def _isa(arguments: list[str]) -> str:
    """What --isa says; what is wrong with the command line is said by who reads all of it."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--isa", default=instruction_sets()[-1])
    return parser.parse_known_args(arguments)[0].isa


def hold(library: Library, isa: str) -> str:
    """Hold the libraries that are not loaded yet to the instruction set, and say how that went."""
    known = instruction_sets()
    wider = known[known.index(isa) + 1 :] if isa in known else []
    if not wider:
        return f"every side chooses by cpuid, which shows {isa}"
    if library.hide_avx512(and_vnni=isa == "avx2"):
        return f"cpuid is answered without {' and '.join(wider)} to every side"
    return f"peers choose by cpuid, which shows {wider[-1]}: this machine cannot hide it from them"


def main() -> None:
    library = Library()
    note = hold(library, _isa(sys.argv[1:]))
    # Whatever asks the processor what it is must be loaded after that.
    from benchmarks.latency.command import run

    run(sys.argv[1:], library, note)


if __name__ == "__main__":
    main()
