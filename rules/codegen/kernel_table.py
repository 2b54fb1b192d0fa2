"""Write the C table through which a program's operators are dispatched.

The table is a `const et_kernel` array in read-only data, sorted by name. A `const et_kernel_table <symbol>`
refers to it. Kernels are not registered at run time, and the linker takes only the kernels that the table
names.

    python3 -m rules.codegen.kernel_table --kernels kernels/portable/kernels.toml --symbol et_all_kernels --out all.c
    python3 -m rules.codegen.kernel_table --kernels … --only model.json --symbol model_kernels --out model.c
    python3 -m rules.codegen.kernel_table --kernels … --signatures --symbol et_kernel_signatures --out signatures.c

Each `--only` file selects operators. It is a manifest (JSON whose `operators` are objects with a `name`) or a
text file with one name per line. Without `--only`, the table has all kernels. With `--signatures`, rows have
only names and signatures, for programs that load methods but never run them. `--operators` names additional
operator tables. `@file` is replaced by the arguments in that file, one per line.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from exir.operators.document import TableError
from exir.operators.dtypes import DTYPE_CODES
from exir.operators.kernels import FEATURE_MACROS, Kernel, KernelTable, load_kernels
from exir.operators.operators import load_operators
from exir.operators.rules import TensorRule

_HEAD = """\
/* Generated. */
#include "executorch/kernel.h"

"""
_PREPARE_PARAMETERS = "et_prepare_context *context, et_value *const *args, void **out_state"


# Dtypes that kernels compute with. Kernels only move values of other dtypes.
_CONVERTIBLE = frozenset(DTYPE_CODES) - {"complex64", "complex128", "uint16", "uint32", "uint64"}


class SelectionError(ValueError):
    """The requested operators cannot be selected."""


def add_table_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that `load_tables` reads."""
    parser.add_argument(
        "--operators", type=Path, action="append", default=[], help="table of operators besides our own"
    )
    parser.add_argument("--kernels", type=Path, action="append", required=True, help="table of kernels (TOML)")


def load_tables(options: argparse.Namespace) -> KernelTable:
    """Load the kernels of all tables that the flags name. Raise TableError."""
    return load_kernels(options.kernels, load_operators(*options.operators))


@dataclass
class Uses:
    """Dtypes that an operator is called with, and whether a tensor is channels-last."""

    dtypes: set[str] = field(default_factory=set)
    channels_last: bool = False

    def add(self, other: Uses) -> None:
        self.dtypes |= other.dtypes
        self.channels_last |= other.channels_last


def read_uses(path: Path) -> dict[str, Uses]:
    """Read the operators of one `--only` file and their uses. Raise SelectionError."""
    try:
        text = path.read_text(encoding="utf-8")
        return _manifest_uses(text) if path.suffix == ".json" else _listed_uses(text)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SelectionError(f"{path}: is no list of operators: {error!r}") from error


def select(table: KernelTable, names: Iterable[str], source: str) -> set[str]:
    """Return `names` as a set. Raise SelectionError naming operators without a kernel."""
    wanted = set(names)
    missing = table.missing(wanted)
    if missing:
        raise SelectionError(
            f"{source}: no kernel for {', '.join(missing)}; add a row to a table of kernels, or lower the "
            "model to a backend that takes these operators"
        )
    return wanted


def table_definition(kernels: Sequence[Kernel], symbol: str, storage: str = "") -> str:
    """Return C code that declares the kernels and defines the table.

    Equal kernels give equal text. `storage` precedes the definition; "static " makes the table local to its
    file.
    """
    rows, count = ("rows", "sizeof rows / sizeof *rows") if kernels else ("NULL", "0")
    lines = [*_includes(kernels), *_externs(kernels), "", *_converters(kernels), ""]
    if kernels:
        lines += ["static const et_tensor_rule rules[] = {", *_rules(kernels), "};", ""]
        lines += ["static const et_kernel rows[] = {", *_rows(kernels), "};", ""]
    return "\n".join([*lines, f"{storage}const et_kernel_table {symbol} = {{{rows}, {count}}};", ""])


def signature_table(kernels: Sequence[Kernel], symbol: str) -> str:
    """Return C code of a table of names and signatures, one row per operator."""
    operators = {kernel.operator.name: kernel.operator for kernel in kernels}
    rows = [f'    {{"{each.name}", "{each.signature}", NULL, NULL, NULL, 0}},' for each in operators.values()]
    lines = ["static const et_kernel rows[] = {", *rows, "};", ""]
    return "\n".join([*lines, f"const et_kernel_table {symbol} = {{rows, sizeof rows / sizeof *rows}};", ""])


def choose(table: KernelTable, only: Sequence[Path] | None) -> list[Kernel]:
    """Return the kernels of the operators that the `only` files name, or all kernels.

    Kernels are in order of name. If the files are manifests, a kernel accepts only the recorded dtypes, and
    kernels for channels-last tensors are omitted unless a manifest records such a tensor. Raises
    SelectionError.
    """
    if only is None:
        return list(table)
    recorded: dict[str, Uses] = {}
    for path in only:
        uses_of = read_uses(path)
        for name in select(table, uses_of, str(path)):
            recorded.setdefault(name, Uses()).add(uses_of[name])
    return [
        _narrowed(kernel, uses.dtypes)
        for kernel in table
        if (uses := recorded.get(kernel.operator.name)) and (uses.channels_last or not _is_for_channels_last(kernel))
    ]


def _is_for_channels_last(kernel: Kernel) -> bool:
    return any(rule.layout == "channels_last" for rule in kernel.rules.tensors.values())


def _narrowed(kernel: Kernel, dtypes: set[str]) -> Kernel:
    tensors = {
        name: replace(rule, dtypes=tuple(dtype for dtype in rule.dtypes if dtype in dtypes))
        for name, rule in kernel.rules.tensors.items()
    }
    return replace(kernel, rules=replace(kernel.rules, tensors=tensors))


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse_options(argv)
    try:
        kernels = choose(load_tables(options), options.only)
    except (TableError, SelectionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    declaration = f"extern const et_kernel_table {options.symbol};\n"
    definition = (signature_table if options.signatures else table_definition)(kernels, options.symbol)
    options.out.write_text(_HEAD + declaration + definition, encoding="utf-8")
    return 0


def _manifest_uses(text: str) -> dict[str, Uses]:
    uses: dict[str, Uses] = {}
    for operator in json.loads(text)["operators"]:
        use = Uses(set(operator["dtypes"]), operator.get("channels_last", False))
        uses.setdefault(operator["name"], Uses()).add(use)
    return uses


def _listed_uses(text: str) -> dict[str, Uses]:
    """Return the uses of a plain list of names: any dtype, any layout."""
    return {line.strip(): Uses(set(DTYPE_CODES), True) for line in text.splitlines() if line.strip()}


def _includes(kernels: Sequence[Kernel]) -> list[str]:
    """Return includes of headers that constant scratch sizes in rows need.

    Scratch sizes of single calls are in the typed header.
    """
    headers = {kernel.header for kernel in kernels if kernel.header and kernel.constant_scratch != "0"}
    return [f'#include "{header}"' for header in sorted(headers)]


def _externs(kernels: Sequence[Kernel]) -> list[str]:
    """Declare the kernels' functions.

    Functions of rows behind `#if` are declared unconditionally; an unused declaration is harmless.
    """
    run = sorted({kernel.symbol for kernel in kernels})
    prepare = sorted({kernel.prepare for kernel in kernels} - {""})
    return [
        *(f"et_status {symbol}(et_kernel_context *context, et_value **args);" for symbol in run),
        *(f"et_status {symbol}({_PREPARE_PARAMETERS});" for symbol in prepare),
    ]


def _converters(kernels: Sequence[Kernel]) -> list[str]:
    """Reference the converters of the kernels' dtypes (converter.h), for the linker."""
    taken = {dtype for kernel in kernels for rule in kernel.rules.tensors.values() for dtype in rule.dtypes}
    names = [f"et_converter_{dtype}" for dtype in sorted(taken & _CONVERTIBLE)]
    if not names:
        return []
    declarations = [f"extern const struct et_converter {name};" for name in names]
    references = ", ".join(f"&{name}" for name in names)
    array = "__attribute__((used)) static const struct et_converter *const converters[]"
    return [*declarations, f"{array} = {{{references}}};"]


def _rules(kernels: Sequence[Kernel]) -> list[str]:
    """Return the concatenated rules of all rows.

    A final empty rule keeps the array from being empty.
    """
    lines = [f"    /* {kernel.symbol} */ {_row_rules(kernel)}".rstrip() for kernel in kernels if kernel.rules.tensors]
    return [*lines, "    {0, 0, 0, 0, 0},"]


def _row_rules(kernel: Kernel) -> str:
    groups = {name: number for number, names in enumerate(kernel.rules.same_dtype, 1) for name in names}
    rules = kernel.rules.tensors.items()
    return " ".join(f"{_rule(rule, groups.get(name, 0))}," for name, rule in rules)


def _rule(rule: TensorRule, group: int) -> str:
    mask = sum(1 << DTYPE_CODES[dtype] for dtype in set(rule.dtypes))
    low, high = rule.ranks
    return f"{{0x{mask:08x}u, {low}, {high}, ET_LAYOUT_{rule.layout.upper()}, {group}}}"


def _rows(kernels: Sequence[Kernel]) -> Iterator[str]:
    first = 0
    for kernel in kernels:
        rules = f"&rules[{first}]" if kernel.rules.tensors else "NULL"
        operator, prepare = kernel.operator, kernel.prepare or "NULL"
        names = [f'"{operator.name}"', f'"{operator.signature}"']
        cells = [*names, rules, kernel.symbol, prepare, kernel.constant_scratch]
        row = f"    {{{', '.join(cells)}}},"
        yield from [f"#if {_condition(kernel)}", row, "#endif"] if kernel.features else [row]
        first += len(kernel.rules.tensors)


def _condition(kernel: Kernel) -> str:
    return " && ".join(f"defined({FEATURE_MACROS[feature]})" for feature in kernel.features)


def _identifier(text: str) -> str:
    if re.fullmatch(r"[A-Za-z_]\w*", text) is None:
        raise argparse.ArgumentTypeError(f"must be a C identifier, got {text!r}")
    return text


def _parse_options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Writes a C kernel table.", fromfile_prefix_chars="@")
    add_table_flags(parser)
    parser.add_argument("--only", type=Path, action="append", help="manifest or name list that selects operators")
    parser.add_argument("--signatures", action="store_true", help="write names and signatures alone")
    parser.add_argument("--symbol", type=_identifier, required=True, help="name of the et_kernel_table")
    parser.add_argument("--out", type=Path, required=True, help="C file to write")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
