"""Compare the cost of a model with a budget file, or write that file.

    python -m executorch_report.budget --pte net.pte --program net_app --budget net.budget.json
    python -m executorch_report.budget --pte net.pte --program net_app --update net.budget.json

Exit codes: 0: within the budget, or written; 1: over the budget, or a file is not valid.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from executorch_report.facts import MethodFacts, read_program
from executorch_report.text import table
from exir.base_error import InvalidProgramError
from exir.files.unreadable import failure

_CODE = "code bytes"


class BudgetError(Exception):
    """An input file is not valid. The message states a remedy."""


def costs_of(pte: Path, weights: Path | None, program: Path | None) -> dict[str, int]:
    """Return the costs of a model by name.

    They are the sizes of the files, the `.text` size of a binary that links the runtime and the selected
    kernels, and the costs of each method.
    """
    facts = read_program(pte)
    costs = {"program bytes": facts.nbytes}
    if weights is not None:
        costs["weights bytes"] = weights.stat().st_size
    if program is not None:
        costs[_CODE] = text_bytes(program.read_bytes())
    for method in facts.methods:
        costs |= {f"{method.name}: {what}": cost for what, cost in _method(method).items()}
    return costs


def _method(method: MethodFacts) -> dict[str, int]:
    calls = Counter({name: 0 for name, _ in method.operators})
    for (name, _), count in method.operators.items():
        calls[name] += count
    return {
        "arena bytes": method.arena_bytes,
        "instructions": len(method.instructions),
        "operators outside delegates": method.kernel_calls,
        **{f"calls of {name}": count for name, count in sorted(calls.items())},
    }


def text_bytes(program: bytes) -> int:
    """Return the size of the section `.text` of a little-endian ELF file.

    Raises BudgetError for another file.
    """
    if program[:4] != b"\x7fELF" or program[5:6] != b"\x01":
        raise BudgetError(
            "the program with the kernels is not a little-endian ELF file; exclude its code: code = False"
        )
    wide = program[4] == 2
    (offset,) = struct.unpack_from("<Q" if wide else "<I", program, 0x28 if wide else 0x20)
    size, count, names = struct.unpack_from("<HHH", program, 0x3A if wide else 0x2E)
    sections = [_section(program, offset + index * size, wide) for index in range(count)]
    start = sections[names][1]
    return sum(length for name, _, length in sections if program[start + name : start + name + 6] == b".text\0")


def _section(program: bytes, at: int, wide: bool) -> tuple[int, int, int]:
    """Return the name offset, file offset and size of a section."""
    form = "<I20xQQ" if wide else "<I12xII"
    name, offset, length = struct.unpack_from(form, program, at)
    return name, offset, length


def growth(budget: Mapping[str, int], costs: Mapping[str, int], slack: int) -> list[tuple[str, int, int]]:
    """Return the costs above the budget, each with its budget and its cost.

    Code size can exceed its budget by `slack` percent, because compilers differ. The budget of a missing cost
    is 0.
    """
    return [(what, budget.get(what, 0), cost) for what, cost in costs.items() if cost > _allowed(what, budget, slack)]


def _allowed(what: str, budget: Mapping[str, int], slack: int) -> int:
    allowed = budget.get(what, 0)
    return allowed + allowed * slack // 100 if what == _CODE else allowed


def _check_budget(options: argparse.Namespace, costs: Mapping[str, int]) -> int:
    budget = _read_budget(options.budget, options.target)
    grown = growth(budget, costs, options.code_slack)
    if grown:
        rows = [(what, before, now, f"+{now - before:,}", _percent(before, now)) for what, before, now in grown]
        print(f"{options.target}: exceeds {options.budget}:\n", file=sys.stderr)
        print(table(("what", "budget", "now", "grew", ""), rows), file=sys.stderr)
        print(f"\nto accept the new costs: bazel run {options.target}.update", file=sys.stderr)
        return 1
    shrunk = [what for what, allowed in budget.items() if costs.get(what, 0) < allowed]
    if shrunk:
        print(f"{', '.join(shrunk)}: below the budget; to lower it: bazel run {options.target}.update")
    return 0


def _percent(before: int, now: int) -> str:
    return f"{(now - before) / before:.1%}" if before else "new"


def _read_budget(path: Path, target: str) -> dict[str, int]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {str(what): int(cost) for what, cost in content.items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise BudgetError(f"{path}: not a budget file; to create it again: bazel run {target}.update") from error


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse(sys.argv[1:] if argv is None else argv)
    try:
        if options.missing is not None:
            raise BudgetError(f"{options.missing} does not exist; to create it: bazel run {options.target}.update")
        costs = costs_of(options.pte, options.weights, options.program)
        if options.update is None:
            return _check_budget(options, costs)
        path = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", ""), options.update)
        path.write_text(json.dumps(costs, indent=1) + "\n", encoding="utf-8")
        print(f"{options.update}: written")
    except BudgetError as error:
        print(f"{options.target}: {error}", file=sys.stderr)
        return 1
    except (InvalidProgramError, OSError) as error:
        print(f"{options.target}: {failure(options.pte, error)}", file=sys.stderr)
        return 1
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("executorch_budget", allow_abbrev=False)
    parser.add_argument("--target", required=True, help="label of the target, for messages")
    parser.add_argument("--pte", type=Path, required=True, help="program (.pte)")
    parser.add_argument("--weights", type=Path, help="weights file of the program (.ptd)")
    parser.add_argument("--program", type=Path, help="binary that links the runtime and the selected kernels")
    parser.add_argument(
        "--code-slack", type=int, default=0, help="percentage by which the code size can exceed the budget (default: 0)"
    )
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--budget", type=Path, help="budget file to compare with")
    kind.add_argument("--missing", help="path of a budget file that does not exist yet, relative to the workspace")
    kind.add_argument("--update", help="budget file to write, relative to the workspace")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
