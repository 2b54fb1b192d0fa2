"""Print the signatures, operators, delegates, sizes and memory plan of a program.

    executorch_inspect net.pte
    executorch_inspect net.pte --json
    executorch_inspect net.pte --html net.html

Exit codes: 0: success; 1: the file cannot be read or is not a program; 2: usage error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from executorch_report.document import program_document
from executorch_report.facts import ProgramFacts, read_program
from executorch_report.html.page import page
from executorch_report.html.record import RecordError, read_record
from executorch_report.text import program_text
from exir.base_error import InvalidProgramError
from exir.files.unreadable import failure


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse(sys.argv[1:] if argv is None else argv)
    try:
        _write_report(options, read_program(options.program))
    except (InvalidProgramError, RecordError, OSError) as error:
        print(f"executorch_inspect: {failure(options.program, error)}", file=sys.stderr)
        return 1
    return 0


def _write_report(options: argparse.Namespace, facts: ProgramFacts) -> None:
    if options.html:
        record = read_record(options.program, options.manifest, options.sources, options.trace)
        options.html.write_text(page(record), encoding="utf-8")
    elif options.json:
        print(json.dumps(program_document(facts), indent=1))
    else:
        print(program_text(facts), end="")


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("executorch_inspect", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("program", type=_path, help="program (.pte)")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true", help="print JSON")
    kind.add_argument("--html", type=_path, metavar="FILE", help="write an HTML page")
    for name, what in (
        ("manifest", "manifest of the program"),
        ("sources", "source lines of each instruction"),
        ("trace", "trace that executorch_run --trace wrote"),
    ):
        parser.add_argument(f"--{name}", type=_path, metavar="FILE", help=f"for the HTML page: {what}")
    return parser.parse_args(argv)


def _path(text: str) -> Path:
    """Resolve a path from the user's working directory, which `bazel run` changes."""
    return Path(os.environ.get("BUILD_WORKING_DIRECTORY", ""), text)


if __name__ == "__main__":
    sys.exit(main())
