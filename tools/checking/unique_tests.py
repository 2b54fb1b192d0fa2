"""Check that each test function has a unique name in the tree.

A unique name identifies a failed test without its file, and can be searched for. Prints one line
per repeated name, as `file:line: reason`.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PATTERNS = ("*_test.py", "*_test.c")
# In the CPU backends, each op has tests of the same guarantees, with the same names.
_EXCEPT = (":!backends/cpu", ":!backends/xnnpack")
_C_TEST = re.compile(r"^static void (?P<name>test_\w+)\(\s*void \*\*", re.MULTILINE)


@dataclass(frozen=True)
class Definition:
    """A test function's name, and the file and line that define it."""

    name: str
    path: str
    line: int


def definitions_in(path: str, source: str) -> Iterator[Definition]:
    """Yield the test functions that a Python or C file defines."""
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield Definition(node.name, path, node.lineno)
    else:
        for match in _C_TEST.finditer(source):
            yield Definition(match["name"], path, source.count("\n", 0, match.start()) + 1)


def repeated(definitions: Iterable[Definition]) -> Iterator[str]:
    """Yield a message for each definition whose name an earlier definition has."""
    first: dict[str, Definition] = {}
    for definition in definitions:
        earlier = first.setdefault(definition.name, definition)
        if earlier is not definition:
            where = f"{definition.path}:{definition.line}"
            taken = f"{earlier.path}:{earlier.line}"
            yield f"{where}: {definition.name} is the name of another test, at {taken}; rename one of them"


def main() -> int:
    root = Path(__file__).absolute().parents[2]
    listing = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run([*listing, *_PATTERNS, *_EXCEPT], check=True, stdout=subprocess.PIPE, text=True).stdout
    paths = [path for path in sorted(output.splitlines()) if (root / path).exists()]
    found = list(
        repeated(
            definition
            for path in paths
            for definition in definitions_in(path, (root / path).read_text(encoding="utf-8"))
        )
    )
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
