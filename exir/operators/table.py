"""Reads the operator table: which operators have a kernel, and how they are called.

`schema/operators.toml` is the one list of operators. The compiler, kernel
selection, the tests and the docs read it through `load_operator_tables`, which
parses every schema, derives the argument signature that the C runtime checks
(codes in `runtime/include/executorch/kernel.h`) and resolves the dtypes of every tensor
argument. Several tables merge, so that a project can add operators of its own.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

LIBRARIES = ("portable", "prim", "quantized")

_REQUIRED_KEYS = frozenset({"name", "schema", "kernel", "library", "file", "dtypes"})
_OPTIONAL_KEYS = frozenset({"arguments", "scratch"})

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")
_KERNEL = re.compile(r"et_[a-z0-9_]+")
_FILE = re.compile(r"[a-z0-9_]+\.c")
_SCHEMA = re.compile(r"\((?P<arguments>.*)\)\s*->\s*(?P<returns>.+)", re.DOTALL)
_ARGUMENT = re.compile(
    r"(?P<type>[A-Za-z]+)(\((?P<alias>[^)]*)\))?(?P<suffix>(\?|\[\d*\])*)"
    r"\s+(?P<name>\w+)\s*(=\s*(?P<default>.+))?",
    re.DOTALL,
)
_RETURN = re.compile(r"(?P<type>[A-Za-z]+)(\([^)]*\))?(?P<suffix>(\?|\[\d*\])*)(\s+\w+)?")

_CODES = {
    "Tensor": "t",
    "int": "i",
    "SymInt": "i",
    "ScalarType": "i",
    "Layout": "i",
    "MemoryFormat": "i",
    "bool": "b",
    "SymBool": "b",
    "float": "d",
    "SymFloat": "d",
    "Scalar": "n",
    "str": "s",
    "int[]": "I",
    "SymInt[]": "I",
    "float[]": "D",
    "bool[]": "B",
    "Tensor[]": "T",
    "Tensor?[]": "O",
}
_OUT_CODES = {"Tensor": "w", "Tensor[]": "W"}


class OperatorTableError(ValueError):
    """A table that cannot be used; the message names the file and the row."""


@dataclass(frozen=True)
class Argument:
    """One argument of an operator, as its schema declares it."""

    name: str
    type: str  # without alias annotation, list length and outer '?': "Tensor", "int[]", "Tensor?[]"
    optional: bool = False  # None is allowed
    out: bool = False  # the operator writes it
    keyword_only: bool = False
    has_default: bool = False
    default: object = None  # a Python value; the bare word for one of PyTorch's enums

    @property
    def is_tensor(self) -> bool:
        return self.type.startswith("Tensor")

    @property
    def code(self) -> str:
        """The argument's part of the C signature, such as `t`, `?t` or `W`."""
        codes = _OUT_CODES if self.out else _CODES
        return ("?" if self.optional else "") + codes[self.type]


@dataclass(frozen=True)
class Operator:
    """One row: an operator that has a kernel."""

    name: str  # "aten::add.out"
    schema: str
    kernel: str  # C symbol
    library: str
    file: str
    arguments: tuple[Argument, ...]
    returns: tuple[str, ...]  # types, without alias annotation
    dtypes: Mapping[str, tuple[str, ...]]  # tensor argument -> dtypes that the kernel takes
    scratch: int  # bytes
    source: str  # the table it comes from

    @property
    def signature(self) -> str:
        """Codes of all values of a call: arguments in order, then `>` and the returns."""
        arguments, returns = "".join(argument.code for argument in self.arguments), self._return_codes()
        return f"{arguments}>{returns}" if returns else arguments

    @property
    def outs(self) -> tuple[Argument, ...]:
        """The arguments that the operator writes, in order."""
        return tuple(argument for argument in self.arguments if argument.out)

    def _return_codes(self) -> str:
        """A call repeats its one result, and bundles several outs in one list."""
        if not self.returns:
            return "W" if any(argument.code == "W" for argument in self.outs) else ""
        if len(self.returns) > 1:
            return "W"
        return _OUT_CODES.get(self.returns[0], "x")


@dataclass(frozen=True)
class OperatorTable:
    """All operators of one or several tables, ordered by name."""

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

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of `names` that have no row, sorted, each once."""
        return tuple(sorted(set(names) - self.operators.keys()))


def load_operator_tables(*paths: Path | str) -> OperatorTable:
    """Reads and merges tables. Raises OperatorTableError for any row that is wrong."""
    merged: dict[str, Operator] = {}
    for path in paths:
        for operator in _read_table(Path(path)):
            _add_row(merged, operator)
    return OperatorTable(MappingProxyType(dict(sorted(merged.items()))))


def parse_arguments(text: str) -> tuple[Argument, ...]:
    """The arguments of a schema: what stands between its outer parentheses."""
    arguments = []
    keyword_only = False
    for part in _split_top_level(text):
        if part == "*":
            keyword_only = True
        else:
            arguments.append(_parse_argument(part, keyword_only))
    return tuple(arguments)


def parse_schema(schema: str) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """Arguments and return types of `(Tensor self, ...) -> Tensor(a!)`. Raises ValueError."""
    match = _SCHEMA.fullmatch(schema.strip())
    if match is None:
        raise ValueError(f"is not of the form '(arguments) -> returns': {schema!r}")
    return parse_arguments(match["arguments"]), _parse_returns(match["returns"])


def _add_row(merged: dict[str, Operator], operator: Operator) -> None:
    earlier = merged.get(operator.name)
    if earlier is not None:
        raise OperatorTableError(
            f"{operator.source}: {operator.name}: is also in {earlier.source}; remove one of the rows"
        )
    merged[operator.name] = operator


def _read_table(path: Path) -> Iterator[Operator]:
    document = _read_document(path)
    sets = _parse_dtype_sets(path, document.get("dtypes", {}))
    for index, row in enumerate(document.get("operator", [])):
        try:
            yield _parse_row(row, sets, str(path))
        except (KeyError, ValueError) as error:
            label = row.get("name", f"operator number {index + 1}")
            raise OperatorTableError(f"{path}: {label}: {error}") from error


def _read_document(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OperatorTableError(f"{path}: cannot be read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise OperatorTableError(f"{path}: is not TOML: {error}") from error


def _parse_dtype_sets(path: Path, sets: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    for name, dtypes in sets.items():
        if not isinstance(dtypes, list) or not all(isinstance(dtype, str) for dtype in dtypes):
            raise OperatorTableError(f"{path}: dtypes.{name}: must be a list of dtype names")
    return {name: tuple(dtypes) for name, dtypes in sets.items()}


def _parse_row(row: Mapping[str, object], sets: Mapping[str, tuple[str, ...]], source: str) -> Operator:
    _check_keys(row)
    arguments, returns = parse_schema(row["schema"])
    return Operator(
        name=_matching(row, "name", _NAME),
        schema=row["schema"],
        kernel=_matching(row, "kernel", _KERNEL),
        library=_library(row["library"]),
        file=_matching(row, "file", _FILE),
        arguments=arguments,
        returns=returns,
        dtypes=_resolve_dtypes(row, arguments, sets),
        scratch=_scratch(row.get("scratch", 0)),
        source=source,
    )


def _check_keys(row: Mapping[str, object]) -> None:
    missing = sorted(_REQUIRED_KEYS - row.keys())
    if missing:
        raise ValueError(f"lacks {', '.join(missing)}")
    unknown = sorted(row.keys() - _REQUIRED_KEYS - _OPTIONAL_KEYS)
    if unknown:
        raise ValueError(f"has unknown keys: {', '.join(unknown)}")
    for key in sorted(_REQUIRED_KEYS):
        if not isinstance(row[key], str):
            raise ValueError(f"'{key}' must be a string, got {row[key]!r}")


def _matching(row: Mapping[str, object], key: str, pattern: re.Pattern[str]) -> str:
    value = str(row[key])
    if pattern.fullmatch(value) is None:
        raise ValueError(f"'{key}' must match {pattern.pattern}, got {value!r}")
    return value


def _library(value: object) -> str:
    if value not in LIBRARIES:
        raise ValueError(f"'library' must be one of {', '.join(LIBRARIES)}, got {value!r}")
    return str(value)


def _scratch(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"'scratch' must be a number of bytes, got {value!r}")
    return value


def _resolve_dtypes(
    row: Mapping[str, object], arguments: tuple[Argument, ...], sets: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    own = row.get("arguments", {})
    tensors = [argument.name for argument in arguments if argument.is_tensor]
    strangers = sorted(own.keys() - set(tensors))
    if strangers:
        raise ValueError(f"'arguments' names no tensor argument: {', '.join(strangers)}")
    return MappingProxyType({name: _dtype_set(own.get(name, row["dtypes"]), sets) for name in tensors})


def _dtype_set(name: str, sets: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if name not in sets:
        raise ValueError(f"dtype set {name!r} is not in [dtypes] ({', '.join(sorted(sets))})")
    return sets[name]


def _split_top_level(text: str) -> list[str]:
    """Splits at the commas that stand in no bracket and no string."""
    parts, depth, quote, start = [], 0, "", 0
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
        else:
            depth += (character in "([") - (character in ")]")
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _parse_argument(text: str, keyword_only: bool) -> Argument:
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        raise ValueError(f"schema argument {text!r} is not of the form 'type name=default'")
    kind, optional = _parse_type(match["type"], match["suffix"])
    argument = Argument(
        name=match["name"],
        type=kind,
        optional=optional,
        out="!" in (match["alias"] or ""),
        keyword_only=keyword_only,
        has_default=match["default"] is not None,
        default=_parse_default(match["default"]),
    )
    if argument.out and kind not in _OUT_CODES:
        raise ValueError(f"schema argument {text!r}: only a Tensor or Tensor[] can be written")
    return argument


def _parse_type(base: str, suffix: str) -> tuple[str, bool]:
    """Type without list length and outer '?', and whether there was such a '?'."""
    kind = base + re.sub(r"\d", "", suffix)
    optional = kind.endswith("?")
    kind = kind.removesuffix("?")
    if kind not in _CODES:
        raise ValueError(f"schema type {kind!r} is none that a kernel can take ({', '.join(_CODES)})")
    return kind, optional


def _parse_default(text: str | None) -> object:
    if text is None:
        return None
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text.strip()


def _parse_returns(text: str) -> tuple[str, ...]:
    text = text.strip()
    parts = _split_top_level(text[1:-1]) if text.startswith("(") else [text]
    return tuple(_parse_return(part) for part in parts)


def _parse_return(text: str) -> str:
    match = _RETURN.fullmatch(text)
    if match is None:
        raise ValueError(f"schema return {text!r} is not a type")
    return _parse_type(match["type"], match["suffix"])[0]
