"""Writes the names and kinds of payload fields, for tests that modify them.

    python -m backends.cpu.schema.codegen.op_fields OUT

Ranges, dtypes, ranks and counts are in the verification tables of the ops (`et_cpu_op_schema`).
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

from backends.cpu.schema.declarations import Int64, OpSpec, Record, is_optional_float, parts_of
from backends.cpu.schema.registry import OPS


def main(output: str) -> None:
    """Write the file."""
    Path(output).write_text(fields_source())


def fields_source() -> str:
    """Return the C file."""
    parts = "".join(f"extern const et_backend_part et_cpu_op_{op.op_name()};\n" for op in OPS)
    rows = "".join(f"    {{&et_cpu_op_{op.op_name()}, {op.op_name()}_tensors, {op.op_name()}_words}},\n" for op in OPS)
    return (
        "/* Generated from backends/cpu/schema. */\n"
        '#include "backends/cpu/schema/op_fields.h"\n\n'
        f"{parts}\n{''.join(map(_tables, OPS))}"
        f"const et_cpu_op_fields et_cpu_all_op_fields[] = {{\n{rows}}};\n"
        "const size_t et_cpu_op_fields_count = sizeof et_cpu_all_op_fields / sizeof *et_cpu_all_op_fields;\n"
    )


def word_fields(record: type[Record]) -> list[tuple[str, str]]:
    """Return the name and kind of each word: "int", "float" or "any".

    The kind "any" depends on another field. For a repeated field, the words of
    one element are at the end of the list.
    """
    fields: dict[int, tuple[str, str]] = {}
    for part in parts_of(record):
        for at, (suffix, kind) in enumerate(_words(part.annotation), part.offset):
            name, is_shared = f"{part.name}{suffix}", at in fields
            fields[at] = (f"{fields[at][0]}|{name}", "any") if is_shared else (name, kind)
    return [fields[at] for at in range(len(fields))]


def _tables(op: type[OpSpec]) -> str:
    names = "".join(f'"{each.name}", ' for each in (*op.inputs, *op.outputs, *op.workspaces))
    words = "".join(f'{{"{name}", ET_CPU_FIELD_{kind.upper()}}}, ' for name, kind in word_fields(op))
    empty = "{NULL, ET_CPU_FIELD_ANY}"
    return (
        f"static const char *const {op.op_name()}_tensors[] = {{{names}}};\n"
        f"static const et_cpu_word_field {op.op_name()}_words[] = {{{words or empty}}};\n"
    )


def _words(annotation: Any) -> Iterator[tuple[str, str]]:
    """Yield the name suffix and the kind of each word."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield from ((f".{name}", kind) for name, kind in word_fields(annotation))
    elif is_optional_float(annotation):
        yield from ((".has_value", "int"), (".value", "float"))
    elif get_origin(annotation) is tuple:
        for i, element in enumerate(get_args(annotation)):
            yield from ((f"[{i}]{suffix}", kind) for suffix, kind in _words(element))
    elif annotation is Int64:
        yield from ((".low", "int"), (".high", "int"))
    else:
        yield "", "float" if annotation is float else "int"


if __name__ == "__main__":
    main(*sys.argv[1:])
