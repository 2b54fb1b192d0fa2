"""Split a bundled program (`.bpte`) into a program and recorded calls.

The C runtime's tests replay the calls.

    python -m exir.cli.unbundle net.bpte --program=net.pte --calls=net.calls
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from exir.bundled.program import bundled_calls
from exir.bundled.tables import deserialize_bpte
from exir.cli.reporting.calls import Call, write_calls


def main(argv: Sequence[str] | None = None) -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(
        prog="unbundle",
        description="Split a bundled program (.bpte) into a program and its recorded calls.",
    )
    parser.add_argument("bundle", type=Path, help="bundled program (.bpte)")
    parser.add_argument("--program", type=Path, required=True, help="program to write (.pte)")
    parser.add_argument("--calls", type=Path, required=True, help="recorded calls to write (.calls)")
    options = parser.parse_args(argv)
    bundled = deserialize_bpte(options.bundle.read_bytes())
    calls = (
        Call(method, tuple(case.inputs), tuple(case.expected_outputs))
        for method, case in bundled_calls(bundled)
        if case.expected_outputs
    )
    options.calls.write_bytes(write_calls(calls))
    options.program.write_bytes(bundled.program)


if __name__ == "__main__":
    main()
