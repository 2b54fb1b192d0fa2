"""Check imports against the table in ARCHITECTURE.md.

A module may import only the folders that the table lists for its own folder, and no private module
of another package. Prints one line per violation, as `file:line: reason`.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# Modules with private names that ExecuTorch treats as public.
_OFFICIAL_NAMES = {"exir._serialize", "exir.dialects._ops"}
_ROW = re.compile(r"^\| `(?P<folder>[\w/]+)/` \|[^|]*\| (?P<uses>[^|]*) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Import:
    """One imported name, a module or its member, in `path` at `line`."""

    path: Path
    line: int
    name: str


@dataclass(frozen=True)
class Folder:
    """A folder of the table, with the folders that its files and its tests may import.

    Folders are identified by their last path component, as in imports. Each folder may import
    itself.
    """

    path: Path
    files: frozenset[str]
    tests: frozenset[str]

    def may_use(self, path: Path) -> frozenset[str]:
        is_test = path.name.endswith("_test.py") or "testing" in path.parts
        return self.tests if is_test else self.files

    def module_of(self, path: Path) -> tuple[str, ...]:
        """Return the parts of the name of the module in `path`."""
        parts = path.relative_to(self.path.parent).with_suffix("").parts
        return parts[:-1] if parts[-1] == "__init__" else parts


def read_table(architecture: str) -> dict[str, Folder]:
    """Parse the table: `used, used; tests: also used`, or `everything`, per folder."""
    rows = {Path(row["folder"]): row["uses"] for row in _ROW.finditer(architecture)}
    names = frozenset(path.name for path in rows)

    def among(text: str) -> frozenset[str]:
        return names if text == "everything" else names.intersection(re.findall(r"\w+", text))

    table = {}
    for path, uses in rows.items():
        files, _, tests = uses.partition("; tests: ")
        table[path.name] = Folder(path, among(files) | {path.name}, among(files) | among(tests) | {path.name})
    return table


def folder_of(path: Path, table: Mapping[str, Folder]) -> Folder:
    """Return the innermost folder of the table that contains `path`."""
    above = [folder for folder in table.values() if path.is_relative_to(folder.path)]
    return max(above, key=lambda folder: len(folder.path.parts))


def imports_of(path: Path, source: str) -> Iterator[Import]:
    """Yield every import in a file, including those inside functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(path, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (Import(path, node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(path, node.lineno, ".")


def fault_of(statement: Import, table: Mapping[str, Folder]) -> str:
    """Return the reason why an import is not allowed, or ""."""
    if statement.name == ".":
        return "is a relative import; import the module by its full name"
    here, there = folder_of(statement.path, table), statement.name.split(".")[0]
    if there in table and there not in here.may_use(statement.path):
        return f"{here.path}/ must not import {table[there].path}/ (see the table in ARCHITECTURE.md)"
    owner = _owner_of_private_part(statement.name)
    if there in table and owner is not None and here.module_of(statement.path)[: len(owner)] != owner:
        return f"'{statement.name}' is private to {'.'.join(owner)}"
    return ""


def _owner_of_private_part(name: str) -> tuple[str, ...] | None:
    """Return the package of the first private part of a dotted name."""
    parts = tuple(name.split("."))
    for index, part in enumerate(parts):
        is_private = part.startswith("_") and not part.startswith("__")
        if is_private and ".".join(parts[: index + 1]) not in _OFFICIAL_NAMES:
            return parts[:index]
    return None


def faults(root: Path) -> Iterator[str]:
    """Yield violations in all Python files of the table's folders below `root`."""
    table = read_table((root / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    for path in sorted({path for folder in table.values() for path in (root / folder.path).rglob("*.py")}):
        for statement in imports_of(path.relative_to(root), path.read_text(encoding="utf-8")):
            reason = fault_of(statement, table)
            if reason:
                yield f"{statement.path}:{statement.line}: {reason}"


if __name__ == "__main__":
    found = list(faults(Path(__file__).absolute().parents[2]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
