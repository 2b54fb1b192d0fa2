"""Print the source line of an error code.

    python3 tools/message_of_code.py 1a2b:00d9:00000011

A runtime that is built with --@rules_executorch//runtime:messages=codes reports FILE:LINE:INDEX in hexadecimal
instead of a message (runtime/include/executorch/status.h). Run this with the sources of the same build. For C
sources of your workspace, in executorch_object_library, add --root with the folder of the workspace.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_ROOT = Path(__file__).absolute().parents[1]
_FOLDERS = ("runtime", "kernels", "backends")
_CODE = re.compile(r"(?P<file>[0-9a-f]{4}):(?P<line>[0-9a-f]{4}):(?P<index>[0-9a-f]{8})")


def file_id(path: str) -> int:
    """Return a source file's number, the low bits of Starlark's hash of its path.

    The build passes it to the compiler as ET_FILE_ID (file_id in object_library.bzl).
    """
    number = 0
    for char in path:
        number = number * 31 + ord(char)
    return number & 0xFFFF


def explain(code: str, root: Path = _ROOT, workspace: Path | None = None) -> str:
    """Return the location, the source lines of the message, and the index.

    root: folder of these rules.
    workspace: folder of the user's workspace, if its sources are searched too.

    Raises ValueError for a code that these sources do not produce.
    """
    found = _CODE.fullmatch(code)
    if found is None:
        raise ValueError(f"'{code}' is not an error code; pass a code such as 1a2b:00d9:00000011")
    number, line, index = (int(found[name], 16) for name in ("file", "line", "index"))
    if number == 0:
        raise ValueError(
            f"'{code}': the source was compiled without ET_FILE_ID; look at line {line} of your C sources, and declare"
            " them with executorch_object_library"
        )
    places = [(path, root) for path in sources(root)]
    if workspace is not None:
        places += [(path, workspace) for path in sorted(workspace.rglob("*.[ch]"))]
    found_in = [place for place in places if file_id(place[0].relative_to(place[1]).as_posix()) == number]
    if not found_in:
        searched = [*_FOLDERS, *([str(workspace)] if workspace is not None else [])]
        raise ValueError(
            f"'{code}': no source in {', '.join(searched)} has the file id {number:04x}; check out the version"
            " that built the program, and pass --root for your own sources"
        )
    return "\n".join(_place(path, folder, line, index) for path, folder in found_in)


def _place(path: Path, root: Path, line: int, index: int) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()[line - 1 : line + 3]
    shown = "\n".join(f"    {text.strip()}" for text in lines)
    return f"{path.relative_to(root).as_posix()}:{line}, index {index}\n{shown}"


def sources(root: Path) -> Iterator[Path]:
    """Yield all sources that can report a code."""
    for folder in _FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in (".c", ".h"))


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, help="folder of the workspace whose C sources are searched as well")
    parser.add_argument("codes", nargs="+", metavar="CODE")
    options = parser.parse_args(argv)
    try:
        print("\n".join(explain(code, workspace=options.root) for code in options.codes))
    except ValueError as error:
        print(f"message_of_code: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
