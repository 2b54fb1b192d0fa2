"""Write an HTML page that compares the costs and operators of several programs.

Usage: `python -m executorch_report.overview --title //app --model //my:net_pte net.pte --html models.html`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from executorch_report.facts import ProgramFacts, read_program
from executorch_report.html.elements import Markup, details, element, section, table
from executorch_report.html.page import document
from executorch_report.text import count_text, program_text
from exir.base_error import InvalidProgramError
from exir.files.unreadable import failure

Models = Sequence[tuple[str, ProgramFacts]]


def overview(title: str, models: Models) -> str:
    """Return the page. `models` are pairs of label and facts, in the page's order."""
    return document(title, [_costs(models), _operators(models), _programs(models)])


def _costs(models: Models) -> Markup:
    head = (
        "model",
        "program bytes",
        "arena bytes",
        "instructions",
        "operators outside delegates",
        "delegates",
        "backends",
    )
    rows = [(label, *_cost(facts)) for label, facts in models]
    total = sum(facts.nbytes for _, facts in models)
    return section(
        "costs",
        "Models",
        element("p", f"{count_text(len(models), 'model')}, {total:,} bytes of programs"),
        table(head, rows),
    )


def _cost(facts: ProgramFacts) -> tuple[int | str, ...]:
    """Return the costs of a program, summed over methods.

    A buffer that methods share is counted once per method.
    """
    delegates = [delegate for method in facts.methods for delegate in method.delegates]
    return (
        facts.nbytes,
        sum(method.arena_bytes for method in facts.methods),
        sum(len(method.instructions) for method in facts.methods),
        sum(method.kernel_calls for method in facts.methods),
        len(delegates),
        ", ".join(sorted({delegate.backend for delegate in delegates})) or "none",
    )


def _operators(models: Models) -> Markup:
    """List the kernels of a binary that links all programs, and their users."""
    calls: dict[str, list[tuple[str, int]]] = {}
    for label, name, count in _calls(models):
        calls.setdefault(name, []).append((label, count))
    rows = [
        (name, sum(count for _, count in found), ", ".join(dict.fromkeys(label for label, _ in found)))
        for name, found in sorted(calls.items())
    ]
    return section("operators", "Operators outside delegates", table(("operator", "calls", "models"), rows))


def _calls(models: Models) -> Iterator[tuple[str, str, int]]:
    for label, facts in models:
        for method in facts.methods:
            for (name, _), count in method.operators.items():
                yield label, name, count


def _programs(models: Models) -> Markup:
    parts = [details(label, element("pre", program_text(facts))) for label, facts in models]
    return section("programs", "Each model", *parts)


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page. Return 0, or 1 if a file is not a program."""
    parser = argparse.ArgumentParser("overview", description=__doc__, allow_abbrev=False)
    parser.add_argument("--title", required=True, help="title of the page")
    parser.add_argument(
        "--model", nargs=2, action="append", default=[], metavar=("LABEL", "PTE"), help="a program; repeatable"
    )
    parser.add_argument("--html", type=Path, required=True, help="page to write")
    options = parser.parse_args(sys.argv[1:] if argv is None else argv)
    models = []
    for label, pte in sorted(options.model):
        try:
            models.append((label, read_program(Path(pte))))
        except (InvalidProgramError, OSError) as error:
            print(f"{options.title}: {label}: {failure(Path(pte), error)}", file=sys.stderr)
            return 1
    options.html.write_text(overview(f"Models under {options.title}", models), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
