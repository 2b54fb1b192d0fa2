"""The kernel tables: what implements an operator, and which arguments it takes.

Every library of kernels has a `kernels.toml`:

    [dtypes]                      # sets of dtypes, named for the rows below
    floating = ["float32", "float64"]
    index = ["int32", "int64"]

    [[kernel]]
    operator = "aten::embedding.out"      # a row of an operator table
    symbol = "et_op_embedding_out"        # the C function, an et_kernel_fn
    file = "op_embedding.c"               # where it is, beside the table
    dtypes = "floating"                   # what each tensor argument may be that is not listed in `arguments`
    arguments = { indices = "index" }
    priority = 1                          # of several kernels that fit, the one of highest priority is taken; 0
    scratch = 4096                        # bytes of scratch that the kernel needs; 0
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from exir.operators.document import Row, TableError, check_keys, check_sections, matching, operator_name
from exir.operators.document import parse_rows, read_document
from exir.operators.operators import Operator, OperatorTable

DtypeSets = Mapping[str, tuple[str, ...]]

_REQUIRED_KEYS = frozenset({"operator", "symbol", "file"})
_OPTIONAL_KEYS = frozenset({"arguments", "dtypes", "priority", "scratch"})

_SYMBOL = re.compile(r"[A-Za-z_]\w*")
_FILE = re.compile(r"[\w./-]+\.(c|cc|cpp|S)")


@dataclass(frozen=True)
class Kernel:
    """One row: a C function that implements an operator."""

    operator: Operator
    symbol: str
    file: str
    dtypes: Mapping[str, tuple[str, ...]]  # tensor argument -> dtypes that the kernel takes
    priority: int
    scratch: int  # bytes
    source: str  # the table it comes from


@dataclass(frozen=True)
class KernelTable:
    """The kernels of one or several tables by operator: operators by name, kernels by falling priority."""

    kernels: Mapping[str, tuple[Kernel, ...]]

    def __contains__(self, operator: object) -> bool:
        return operator in self.kernels

    def __iter__(self) -> Iterator[Kernel]:
        return (kernel for kernels in self.kernels.values() for kernel in kernels)

    def of(self, operator: str) -> tuple[Kernel, ...]:
        """The kernels of an operator, the first to try first; none for an operator without."""
        return self.kernels.get(operator, ())

    def missing(self, operators: Iterable[str]) -> tuple[str, ...]:
        """Those of `operators` that have no kernel, sorted, each once."""
        return tuple(sorted(set(operators) - self.kernels.keys()))


def load_kernels(paths: Iterable[Path | str], operators: OperatorTable) -> KernelTable:
    """Reads and merges tables. Raises TableError for any row that is wrong.

    Of kernels of one priority the one that was read first is tried first.
    """
    merged: dict[str, list[Kernel]] = {}
    for path in paths:
        for kernel in _read(Path(path), operators):
            merged.setdefault(kernel.operator.name, []).append(kernel)
    for kernels in merged.values():
        kernels.sort(key=lambda kernel: -kernel.priority)
    return KernelTable(MappingProxyType({name: tuple(merged[name]) for name in sorted(merged)}))


def _read(path: Path, operators: OperatorTable) -> Iterator[Kernel]:
    document = read_document(path)
    check_sections(path, document, frozenset({"dtypes", "kernel"}))
    sets = _parse_dtype_sets(path, document.get("dtypes", {}))
    rows = document.get("kernel", [])
    return parse_rows(path, rows, "operator", lambda row: _parse(row, operators, sets, str(path)))


def _parse_dtype_sets(path: Path, sets: Mapping[str, object]) -> DtypeSets:
    for name, dtypes in sets.items():
        if not isinstance(dtypes, list) or not all(isinstance(dtype, str) for dtype in dtypes):
            raise TableError(f"{path}: dtypes.{name}: must be a list of dtype names")
    return {name: tuple(dtypes) for name, dtypes in sets.items()}


def _parse(row: Row, operators: OperatorTable, sets: DtypeSets, source: str) -> Kernel:
    check_keys(row, _REQUIRED_KEYS, _OPTIONAL_KEYS)
    operator = operators.get(operator_name(row, "operator"))
    if operator is None:
        raise ValueError("is in no operator table; add a row that says what the operator is")
    return Kernel(
        operator=operator,
        symbol=matching(row, "symbol", _SYMBOL),
        file=matching(row, "file", _FILE),
        dtypes=_resolve_dtypes(row, operator, sets),
        priority=_integer(row, "priority", None),
        scratch=_integer(row, "scratch", 0),
        source=source,
    )


def _integer(row: Row, key: str, low: int | None) -> int:
    value = row.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or (low is not None and value < low):
        raise ValueError(f"'{key}' must be a whole number{'' if low is None else f', {low} or more'}, got {value!r}")
    return value


def _resolve_dtypes(row: Row, operator: Operator, sets: DtypeSets) -> Mapping[str, tuple[str, ...]]:
    own = row.get("arguments", {})
    tensors = [argument.name for argument in operator.tensors]
    strangers = sorted(own.keys() - set(tensors))
    if strangers:
        raise ValueError(f"'arguments' names no tensor argument: {', '.join(strangers)}")
    unlisted = [name for name in tensors if name not in own]
    if unlisted and "dtypes" not in row:
        raise ValueError(f"says no 'dtypes' for {', '.join(unlisted)}")
    return MappingProxyType({name: _dtype_set(own.get(name, row.get("dtypes")), sets) for name in tensors})


def _dtype_set(name: object, sets: DtypeSets) -> tuple[str, ...]:
    if name not in sets:
        raise ValueError(f"dtype set {name!r} is not in [dtypes] ({', '.join(sorted(sets))})")
    return sets[str(name)]
