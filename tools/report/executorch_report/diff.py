"""Compare two programs: costs, operators, signatures, delegates and constants.

    executorch_diff old.pte new.pte               print the differences as text
    executorch_diff old.pte new.pte --markdown    print a table for a pull request
    executorch_diff old.pte new.pte --html diff.html

Exit codes: 0: success; 1: a file cannot be read or is not a program; 2: usage error.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from executorch_report.budget import costs_of
from executorch_report.facts import MethodFacts, ProgramFacts, read_program
from executorch_report.html.elements import Number, element, markup, section
from executorch_report.html.elements import table as html_table
from executorch_report.html.page import document
from executorch_report.text import table, value_text
from exir.base_error import InvalidProgramError
from exir.files.unreadable import failure


@dataclass(frozen=True)
class Change:
    """A cost before and after."""

    what: str
    old: int
    new: int

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        share = f"{(self.new - self.old) / self.old:+.1%}" if self.old else "new"
        return self.what, f"{self.old:,}", f"{self.new:,}", f"{self.new - self.old:+,}", share


_HEAD = ("what", "old", "new", "change", "")


@dataclass(frozen=True)
class Difference:
    """The differences between two programs: changed costs, and notes.

    Notes are about signatures, delegates and constants.
    """

    old: str
    new: str
    costs: tuple[Change, ...]
    notes: tuple[str, ...]


class DiffError(Exception):
    """A program cannot be read. The message names it."""


def difference(old: Path, new: Path) -> Difference:
    """Compare two program files. Raise `DiffError`."""
    (before, old_facts), (after, new_facts) = _read_costs(old), _read_costs(new)
    costs = (Change(what, before.get(what, 0), after.get(what, 0)) for what in dict.fromkeys((*before, *after)))
    changed = tuple(change for change in costs if change.old != change.new)
    return Difference(old.name, new.name, changed, tuple(_notes(old_facts, new_facts)))


def _read_costs(program: Path) -> tuple[Mapping[str, int], ProgramFacts]:
    try:
        return costs_of(program, None, None), read_program(program)
    except (InvalidProgramError, OSError) as error:
        raise DiffError(failure(program, error)) from error


def _notes(old: ProgramFacts, new: ProgramFacts) -> Iterable[str]:
    before, after = ({method.name: method for method in facts.methods} for facts in (old, new))
    yield from (f"method {name} was removed" for name in before if name not in after)
    yield from (f"method {name} was added" for name in after if name not in before)
    for name in before.keys() & after.keys():
        yield from _method_notes(before[name], after[name])


def _method_notes(old: MethodFacts, new: MethodFacts) -> Iterable[str]:
    for what, before, after in (("takes", old.inputs, new.inputs), ("gives", old.outputs, new.outputs)):
        one, other = (", ".join(map(value_text, values)) for values in (before, after))
        if one != other:
            yield f"{new.name} {what} ({other}) instead of ({one})"
    backends = [[delegate.backend for delegate in method.delegates] for method in (old, new)]
    if backends[0] != backends[1]:
        yield (
            f"{new.name} delegates to {', '.join(backends[1]) or 'no backend'} instead of "
            f"{', '.join(backends[0]) or 'no backend'}"
        )
    constants = [sum(weight.nbytes for weight in method.weights) for method in (old, new)]
    if constants[0] != constants[1]:
        yield f"{new.name} has {constants[1]:,} bytes of constants instead of {constants[0]:,}"


def text(found: Difference) -> str:
    if not found.costs and not found.notes:
        return f"{found.old} and {found.new} have equal costs\n"
    costs = table(_HEAD, [change.cells for change in found.costs])
    return "\n".join([f"{found.old} → {found.new}", "", costs, *(f"- {note}" for note in found.notes)]) + "\n"


def markdown(found: Difference) -> str:
    """Return the differences as a Markdown table for a pull request."""
    if not found.costs and not found.notes:
        return f"`{found.old}` and `{found.new}` have equal costs.\n"
    rows = [f"| {' | '.join(_escaped(cell) for cell in change.cells)} |" for change in found.costs]
    head = [f"| {' | '.join(_HEAD)} |", "| --- | ---: | ---: | ---: | ---: |"]
    notes = [f"- {_escaped(note)}" for note in found.notes]
    return "\n".join([f"### `{found.old}` → `{found.new}`", "", *head, *rows, "", *notes]).rstrip() + "\n"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;")


def html(found: Difference) -> str:
    rows = [(change.what, change.old, change.new, *_colored(change)) for change in found.costs]
    notes = element("ul", *(element("li", note) for note in found.notes))
    costs = html_table(_HEAD, rows) if rows else element("p", "Their costs are equal.")
    return document(f"{found.old} → {found.new}", [section("costs", "Costs", costs), section("notes", "Notes", notes)])


def _colored(change: Change) -> tuple[Number, Number]:
    """Return the change and the relative change, colored."""
    grown, share = change.cells[3:]
    color = "plus" if change.new > change.old else "minus"
    by = change.new - change.old
    return (
        Number(by, element("span", grown, class_=color)),
        Number(by / change.old if change.old else math.inf, markup(share)),
    )


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse(sys.argv[1:] if argv is None else argv)
    try:
        found = difference(options.old, options.new)
        if options.html:
            options.html.write_text(html(found), encoding="utf-8")
        if options.out_markdown:
            options.out_markdown.write_text(markdown(found), encoding="utf-8")
        if not (options.html or options.out_markdown):
            print(markdown(found) if options.markdown else text(found), end="")
    except (DiffError, OSError) as error:
        print(f"executorch_diff: {error}", file=sys.stderr)
        return 1
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("executorch_diff", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("old", type=_path, help="program before the change (.pte)")
    parser.add_argument("new", type=_path, help="program after the change (.pte)")
    parser.add_argument("--markdown", action="store_true", help="print a table for a pull request")
    parser.add_argument("--out-markdown", type=_path, metavar="FILE", help="write the table to a file")
    parser.add_argument("--html", type=_path, metavar="FILE", help="write an HTML page")
    return parser.parse_args(argv)


def _path(text: str) -> Path:
    """Resolve a path from the user's working directory, which `bazel run` changes."""
    return Path(os.environ.get("BUILD_WORKING_DIRECTORY", ""), text)


if __name__ == "__main__":
    sys.exit(main())
