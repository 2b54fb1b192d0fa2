"""What the tables of operators and of kernels have in common: TOML files with rows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

Row = Mapping[str, Any]
_Parsed = TypeVar("_Parsed")

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")


class TableError(ValueError):
    """A table that cannot be used; the message names the file and the row."""


def read_document(path: Path) -> dict[str, Any]:
    """The content of a TOML file. Raises TableError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise TableError(f"{path}: is not TOML: {error}") from error


def check_sections(path: Path, document: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raises TableError for a section that nobody reads, such as rows of another kind of table."""
    unknown = sorted(document.keys() - known)
    if unknown:
        raise TableError(
            f"{path}: has unknown sections: {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )


def parse_rows(
    path: Path, rows: list[Row], label: str, parse: Callable[[Row], _Parsed]
) -> Iterator[_Parsed]:
    """Each row parsed. What `parse` raises becomes a TableError that names the row by its `label` column."""
    for index, row in enumerate(rows):
        try:
            yield parse(row)
        except (KeyError, TypeError, ValueError) as error:
            name = row.get(label, f"row number {index + 1}")
            raise TableError(f"{path}: {name}: {error}") from error


def check_keys(row: Row, required: frozenset[str], optional: frozenset[str]) -> None:
    """Raises ValueError unless `row` has the required keys, as strings, and no unknown one."""
    missing = sorted(required - row.keys())
    if missing:
        raise ValueError(f"lacks {', '.join(missing)}")
    unknown = sorted(row.keys() - required - optional)
    if unknown:
        raise ValueError(f"has unknown keys: {', '.join(unknown)}")
    for key in sorted(required):
        if not isinstance(row[key], str):
            raise ValueError(f"'{key}' must be a string, got {row[key]!r}")


def matching(row: Row, key: str, pattern: re.Pattern[str]) -> str:
    """The value of `key`. Raises ValueError unless it has the form of `pattern`."""
    value = str(row[key])
    if pattern.fullmatch(value) is None:
        raise ValueError(f"'{key}' must match {pattern.pattern}, got {value!r}")
    return value


def operator_name(row: Row, key: str) -> str:
    """The value of `key`, an operator as a .pte spells it. Raises ValueError."""
    return matching(row, key, _NAME)
