"""The operator tables: the operators that a program can call.

`schema/operators.toml` has the operators of this project. A library of kernels can add a table with
further operators. Each column is a property of the operator, independent of its kernels (`kernels.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from exir.operators.document import (
    Row,
    TableError,
    check_keys,
    check_sections,
    operator_name,
    parse_rows,
    read_document,
)
from exir.operators.properties import PROPERTY_KEYS, OperatorProperties, parse_properties
from exir.operators.schemas import OUT_CODES, Argument, parse_schema

BUILTIN_TABLE = Path(__file__).parents[2] / "schema" / "operators.toml"

_REQUIRED_KEYS = frozenset({"name", "schema"})
_OPTIONAL_KEYS = PROPERTY_KEYS | {"partial_write"}


@dataclass(frozen=True)
class Operator:
    """A row: an operator as a `.pte` file calls it."""

    name: str  # such as "aten::add.out"
    schema: str
    arguments: tuple[Argument, ...]
    returns: tuple[str, ...]  # types, without alias annotations
    properties: OperatorProperties
    source: str  # the path of its table

    @property
    def signature(self) -> str:
        """Codes of all values of a call: arguments in order, then `>` and the returns."""
        arguments, returns = "".join(argument.code for argument in self.arguments), self._return_codes()
        return f"{arguments}>{returns}" if returns else arguments

    @property
    def tensors(self) -> tuple[Argument, ...]:
        """The arguments that are tensors or lists of tensors, in order."""
        return tuple(argument for argument in self.arguments if argument.is_tensor)

    @property
    def outs(self) -> tuple[Argument, ...]:
        """The arguments that the operator mutates, in order."""
        return tuple(argument for argument in self.arguments if argument.out)

    def _return_codes(self) -> str:
        """Return the codes of the returns.

        A call lists a single return value directly, and several outs as one list.
        """
        if not self.returns:
            return "W" if any(argument.code == "W" for argument in self.outs) else ""
        if len(self.returns) > 1:
            return "W"
        return OUT_CODES.get(self.returns[0], "x")


@dataclass(frozen=True)
class OperatorTable:
    """All operators of one or more tables, sorted by name."""

    operators: Mapping[str, Operator]

    def __contains__(self, name: object) -> bool:
        return name in self.operators

    def __iter__(self) -> Iterator[Operator]:
        return iter(self.operators.values())

    def __len__(self) -> int:
        return len(self.operators)

    def __getitem__(self, name: str) -> Operator:
        return self.operators[name]

    def get(self, name: str) -> Operator | None:
        return self.operators.get(name)


def load_operators(*paths: Path | str) -> OperatorTable:
    """Merge the built-in table with those at `paths`.

    Raises TableError for an invalid row.
    """
    merged = dict(builtin_operators().operators)
    for path in paths:
        _merge_table(merged, Path(path))
    return _operator_table(merged)


@lru_cache(maxsize=1)
def builtin_operators() -> OperatorTable:
    """Return the operators of `schema/operators.toml`, which is read once."""
    merged: dict[str, Operator] = {}
    _merge_table(merged, BUILTIN_TABLE)
    return _operator_table(merged)


def _operator_table(merged: Mapping[str, Operator]) -> OperatorTable:
    return OperatorTable(MappingProxyType(dict(sorted(merged.items()))))


def _merge_table(merged: dict[str, Operator], path: Path) -> None:
    for operator in _read_rows(path):
        earlier = merged.get(operator.name)
        if earlier is not None:
            raise TableError(
                f"{path}: {operator.name}: also defined in {earlier.source}; remove one of the rows"
            )
        merged[operator.name] = operator


def _read_rows(path: Path) -> Iterator[Operator]:
    document = read_document(path)
    check_sections(path, document, frozenset({"operator"}))
    return parse_rows(path, document, "operator", "name", lambda row: _parse_operator(row, str(path)))


def _parse_operator(row: Row, source: str) -> Operator:
    check_keys(row, _REQUIRED_KEYS, _OPTIONAL_KEYS)
    arguments, returns = parse_schema(row["schema"])
    arguments = _mark_partial(arguments, row.get("partial_write", []))
    properties = parse_properties(row, arguments)
    return Operator(operator_name(row, "name"), row["schema"], arguments, returns, properties, source)


def _mark_partial(arguments: tuple[Argument, ...], names: object) -> tuple[Argument, ...]:
    """Mark the arguments in `names` as partially written. Raises ValueError."""
    written = [argument.name for argument in arguments if argument.out and argument.type == "Tensor"]
    if not isinstance(names, list) or not all(name in written for name in names):
        raise ValueError(f"'partial_write' must list arguments of type Tensor(a!), got {names!r}")
    return tuple(replace(argument, partial=argument.name in names) for argument in arguments)
