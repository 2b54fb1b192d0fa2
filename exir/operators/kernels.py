"""The kernel tables: the kernels of operators, and the arguments they accept.

Every library of kernels has a `kernels.toml`:

    [dtypes]                      # sets of dtypes, named for the rows below
    floating = ["float32", "float64"]
    index = ["int32", "int64"]

    [[kernel]]
    operator = "aten::native_layer_norm.out"    # a row of an operator table
    symbol = "et_op_native_layer_norm_out"      # the C function, an et_kernel_fn
    file = "op_native_layer_norm.c"             # its source, next to the table

The arguments that the kernel accepts; a call that no row of its operator accepts is a build error:

    dtypes = "floating"                         # for every tensor argument,
    ranks = [1, 16]                             # the minimum and the maximum rank,
    layout = "contiguous"                       # "contiguous", "channels_last" or "any" (default);
    arguments = { mean = "statistics", weight = { dtypes = "floating", ranks = [1, 1] } }  # exceptions
    same_dtype = [["input", "weight", "bias"]]  # the tensors of a group have one dtype
    attributes = { training = [false] }         # accepted values of bool and str arguments

The selection and preparation of the kernel:

    priority = 1                                # the matching row with the highest priority runs; 0
    features = ["avx2", "fma"]                  # use the row only if the C compiler targets these
    prepare = "et_op_native_layer_norm_prepare" # prepares a call, an et_kernel_prepare_fn

The memory that it needs in addition to its arguments, in bytes. A value is a number or a constant C
expression. With `prepare`, the expression can have fields, which are properties of one call
(`expressions.py`), and must equal the size that `prepare` requests and uses:

    scratch = "LAYER_NORM_SCRATCH({input.rank}, {eps})"     # during a call; 0
    state = "sizeof(plan)"                      # for the lifetime of the method; 0
    header = "acme/layer_norm_plan.h"           # declares the names in the expressions

A row with features is a faster alternative to a row without. Whether a program can run does not depend
on features.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from exir.operators.document import (
    Row,
    TableError,
    check_keys,
    check_sections,
    list_of_strings,
    matching,
    operator_name,
    parse_rows,
    read_document,
    table,
)
from exir.operators.expressions import fields, fill
from exir.operators.operators import Operator, OperatorTable
from exir.operators.rules import Call, DtypeSets, Rules, parse_dtype_sets, parse_rules, refusals

_REQUIRED_KEYS = frozenset({"operator", "symbol", "file"})
_OPTIONAL_KEYS = frozenset(
    {
        "arguments",
        "attributes",
        "dtypes",
        "features",
        "header",
        "layout",
        "prepare",
        "priority",
        "ranks",
        "same_dtype",
        "scratch",
        "state",
    }
)

# CPU features, and the macros that C compilers define for them.
FEATURE_MACROS: Mapping[str, str] = MappingProxyType(
    {
        "avx": "__AVX__",
        "avx2": "__AVX2__",
        "avx512f": "__AVX512F__",
        "avx512vnni": "__AVX512VNNI__",
        "dotprod": "__ARM_FEATURE_DOTPROD",
        "f16c": "__F16C__",
        "fma": "__FMA__",
        "i8mm": "__ARM_FEATURE_MATMUL_INT8",
        "neon": "__ARM_NEON",
        "sse4.1": "__SSE4_1__",
        "sve": "__ARM_FEATURE_SVE",
    }
)

# Codes of arguments that have properties in expressions: tensors, scalars, lists of integers.
_EXPRESSION_CODES = frozenset("twmibdnI")

_SYMBOL = re.compile(r"[A-Za-z_]\w*")
_HEADER = re.compile(r"[\w./-]+")
_FILE = re.compile(r"[\w./-]+\.(c|cc|cpp|S)")


@dataclass(frozen=True)
class Kernel:
    """A row: a C function that implements an operator."""

    operator: Operator
    symbol: str
    file: str
    rules: Rules
    priority: int
    features: tuple[str, ...]  # keys of FEATURE_MACROS
    scratch: str  # C expression in bytes, or ""
    state: str  # C expression in bytes, or ""
    header: str  # for the expressions, or ""
    prepare: str  # C symbol, or ""
    source: str  # the path of its table

    @property
    def constant_scratch(self) -> str:
        """The scratch size for every call; "0" if it depends on the call."""
        return "0" if not self.scratch or fields(self.scratch) else fill(self.scratch, Call({}))


@dataclass(frozen=True)
class KernelTable:
    """The kernels of one or more tables.

    Operators are sorted by name, and the kernels of an operator by descending priority.
    """

    kernels: Mapping[str, tuple[Kernel, ...]]

    def __contains__(self, operator: object) -> bool:
        return operator in self.kernels

    def __iter__(self) -> Iterator[Kernel]:
        return (kernel for kernels in self.kernels.values() for kernel in kernels)

    def of(self, operator: str) -> tuple[Kernel, ...]:
        """Return the kernels of an operator, the preferred one first; empty if none."""
        return self.kernels.get(operator, ())

    def refusals(self, operator: str, call: Call) -> list[str]:
        """Return why no kernel of `operator` accepts the call; empty if one does.

        `operator` must have kernels. Rows with features are ignored. The reasons are those of the
        last row, which is the most general one.
        """
        reasons: list[str] = []
        for kernel in self.of(operator):
            if not kernel.features:
                reasons = refusals(kernel.rules, call)
                if not reasons:
                    break
        return reasons

    def candidates(self, operator: str, call: Call) -> Iterator[Kernel]:
        """Yield the kernels that can run the call.

        These are the accepting kernels up to the first one without features.
        """
        for kernel in self.of(operator):
            if not refusals(kernel.rules, call):
                yield kernel
                if not kernel.features:
                    return

    def missing(self, operators: Iterable[str]) -> tuple[str, ...]:
        """Return the `operators` without a kernel, sorted and without duplicates."""
        return tuple(sorted(set(operators) - self.kernels.keys()))


def load_kernels(paths: Iterable[Path | str], operators: OperatorTable) -> KernelTable:
    """Read and merge tables. Raises TableError for an invalid row.

    Among kernels of equal priority, the first one that was read is tried first.
    """
    merged: dict[str, list[Kernel]] = {}
    for path in paths:
        for kernel in _read_table(Path(path), operators):
            merged.setdefault(kernel.operator.name, []).append(kernel)
    for kernels in merged.values():
        kernels.sort(key=lambda kernel: -kernel.priority)
        _check_fallback(kernels)
    return KernelTable(MappingProxyType({name: tuple(merged[name]) for name in sorted(merged)}))


def _check_fallback(kernels: list[Kernel]) -> None:
    if all(kernel.features for kernel in kernels):
        first = kernels[0]
        raise TableError(
            f"{first.source}: {first.operator.name}: every kernel requires 'features'; add a kernel "
            "without them"
        )


def _read_table(path: Path, operators: OperatorTable) -> Iterator[Kernel]:
    document = read_document(path)
    check_sections(path, document, frozenset({"dtypes", "kernel"}))
    try:
        sets = parse_dtype_sets(table("dtypes", document.get("dtypes", {})))
    except ValueError as error:
        raise TableError(f"{path}: {error}") from error
    return parse_rows(
        path, document, "kernel", "operator", lambda row: _parse_kernel(row, operators, sets, str(path))
    )


def _parse_kernel(row: Row, operators: OperatorTable, sets: DtypeSets, source: str) -> Kernel:
    check_keys(row, _REQUIRED_KEYS, _OPTIONAL_KEYS)
    operator = operators.get(operator_name(row, "operator"))
    if operator is None:
        raise ValueError("unknown operator; add a row to an operator table")
    kernel = Kernel(
        operator=operator,
        symbol=matching(row, "symbol", _SYMBOL),
        file=matching(row, "file", _FILE),
        rules=parse_rules(row, operator, sets),
        priority=_integer_field(row, "priority"),
        features=_parse_features(list_of_strings("features", row.get("features", []))),
        scratch=_size_expression(row, "scratch", operator),
        state=_size_expression(row, "state", operator),
        header=matching(row, "header", _HEADER) if "header" in row else "",
        prepare=matching(row, "prepare", _SYMBOL) if "prepare" in row else "",
        source=source,
    )
    if not kernel.prepare and (kernel.state or fields(kernel.scratch)):
        raise ValueError("'state', and scratch memory that depends on the call, need 'prepare'; add it")
    return kernel


def _integer_field(row: Row, key: str) -> int:
    value = row.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"'{key}' must be an integer, got {value!r}")
    return value


def _size_expression(row: Row, key: str, operator: Operator) -> str:
    """Return a C expression on one line, or ""."""
    value = row.get(key, 0)
    if isinstance(value, str):
        expression = " ".join(value.split())
        _check_fields(key, expression, operator)
        return expression
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"'{key}' must be a number of bytes or a C expression, got {value!r}")
    return str(value) if value else ""


def _check_fields(key: str, expression: str, operator: Operator) -> None:
    try:
        names = fields(expression)
    except ValueError as error:
        raise ValueError(f"'{key}': {error}") from error
    known = {
        argument.name
        for argument in operator.arguments
        if argument.code.lstrip("?") in _EXPRESSION_CODES
    }
    strangers = sorted(names - known)
    if strangers:
        raise ValueError(
            f"'{key}' uses unknown arguments: {', '.join(strangers)}; use tensors, "
            "numbers or lists of numbers"
        )


def _parse_features(names: list[str]) -> tuple[str, ...]:
    unknown = sorted(set(names) - FEATURE_MACROS.keys())
    if unknown:
        raise ValueError(f"'features': unknown {', '.join(unknown)}; valid: {', '.join(FEATURE_MACROS)}")
    return tuple(names)
