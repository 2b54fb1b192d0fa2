"""Read TOML files, for the operator and kernel tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from exir.python_versions import tomllib

Row = Mapping[str, Any]
_Parsed = TypeVar("_Parsed")

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")


class TableError(ValueError):
    """An invalid table; the message names the file and the row."""


def read_document(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file. Raises TableError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise TableError(f"{path}: not valid TOML: {error}") from error


def check_sections(path: Path, document: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise TableError for an unknown section, such as one from another kind of table."""
    unknown = sorted(document.keys() - known)
    if unknown:
        raise TableError(
            f"{path}: unknown sections: {', '.join(unknown)}; valid sections: {', '.join(sorted(known))}"
        )


def parse_rows(
    path: Path, document: Mapping[str, Any], section: str, label: str, parse: Callable[[Row], _Parsed]
) -> Iterator[_Parsed]:
    """Yield the parsed rows of a section.

    Exceptions of `parse` become a TableError that names the row by its `label` column.
    """
    rows = document.get(section, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise TableError(
            f"{path}: '{section}' must be a list of tables; start each one with [[{section}]]"
        )
    for index, row in enumerate(rows):
        try:
            yield parse(row)
        except (KeyError, TypeError, ValueError) as error:
            name = row.get(label, f"row {index + 1}")
            raise TableError(f"{path}: {name}: {error}") from error


def check_keys(row: Row, required: frozenset[str], optional: frozenset[str]) -> None:
    """Raise ValueError for a missing or unknown key, or a required non-string."""
    missing = sorted(required - row.keys())
    if missing:
        raise ValueError(f"missing keys: {', '.join(missing)}; add them")
    unknown = sorted(row.keys() - required - optional)
    if unknown:
        raise ValueError(f"unknown keys: {', '.join(unknown)}; remove them")
    for key in sorted(required):
        if not isinstance(row[key], str):
            raise ValueError(f"'{key}' must be a string, got {row[key]!r}")


def list_of_strings(key: str, value: object) -> list[str]:
    """Return the value of `key`. Raises ValueError unless it is a list of strings."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"'{key}' must be a list of strings, got {value!r}")
    return value


def table(key: str, value: object) -> Row:
    """Return the value of `key`. Raises ValueError unless it is a table."""
    if not isinstance(value, dict):
        raise ValueError(f"'{key}' must be a table, got {value!r}")
    return value


def matching(row: Row, key: str, pattern: re.Pattern[str]) -> str:
    """Return the value of `key`. Raises ValueError unless it matches `pattern`."""
    value = row[key]
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise ValueError(f"'{key}' must match {pattern.pattern}, got {value!r}")
    return value


def operator_name(row: Row, key: str) -> str:
    """Return the value of `key`, an operator name as in a .pte file.

    Raises ValueError.
    """
    return matching(row, key, _NAME)
