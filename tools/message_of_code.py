"""Print the source line of an error code.

    python3 tools/message_of_code.py 1a2b:00d9:00000011

A runtime that is built with --@rules_executorch//runtime:messages=codes reports FILE:LINE:INDEX in hexadecimal
instead of a message (runtime/include/executorch/status.h). Run this with the sources of the same build.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).absolute().parents[1]
_FOLDERS = ("runtime", "kernels", "backends")
_FACTORS = (1, 31, 961, 29791, 6367, 1181, 36611, 20725)  # ET_FILE_NUMBER
_CODE = re.compile(r"(?P<file>[0-9a-f]{4}):(?P<line>[0-9a-f]{4}):(?P<index>[0-9a-f]{8})")


def file_number(path: str) -> int:
    """Return a source file's number: a hash of the end of its path without suffix."""
    stem = path.rpartition(".")[0]
    return sum(ord(char) * factor for char, factor in zip(reversed(stem), _FACTORS)) & 0xFFFF


def explain(code: str, root: Path = _ROOT) -> str:
    """Return the location, the source lines of the message, and the index.

    Raises ValueError for a code that is not one of these sources.
    """
    found = _CODE.fullmatch(code)
    if found is None:
        raise ValueError(f"'{code}' is no code: 1a2b:00d9:00000011 is one")
    number, line, index = (int(found[name], 16) for name in ("file", "line", "index"))
    places = [path for path in sources(root) if file_number(path.relative_to(root).as_posix()) == number]
    if not places:
        raise ValueError(
            f"no source in {', '.join(_FOLDERS)} has the number {number:04x}; are these the program's own?"
        )
    return "\n".join(_place(path, root, line, index) for path in places)


def _place(path: Path, root: Path, line: int, index: int) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()[line - 1 : line + 3]
    shown = "\n".join(f"    {text.strip()}" for text in lines)
    return f"{path.relative_to(root).as_posix()}:{line}, index {index}\n{shown}"


def sources(root: Path) -> Iterator[Path]:
    """Yield all sources that can report a code."""
    for folder in _FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in (".c", ".h"))


def main(codes: list[str]) -> int:
    if not codes:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print("\n".join(explain(code) for code in codes))
    except ValueError as error:
        print(f"message_of_code: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
