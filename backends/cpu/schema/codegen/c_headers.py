"""Writes the C headers of ops: structs, encoders, decoders, verification tables.

    python -m backends.cpu.schema.codegen.c_headers OUT...
    python -m backends.cpu.schema.codegen.c_headers --folder FOLDER

The name of an output selects its content: `<op>.h`, `records.h`, `op_codes.h`, `cost_model.h`,
`kernel_sizes.h`, `payload_tables.h` or `attribute_ranges.c`. With `--folder`, all files are
written.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from textwrap import wrap

from backends.cpu.schema import payload_tables
from backends.cpu.schema.codegen.c_records import c_name, comment_of, enum_of, enums_of, records_of, struct_of
from backends.cpu.schema.codegen.ranges import ranges_source, word_ranges
from backends.cpu.schema.cost_model import constants
from backends.cpu.schema.declarations import (
    Count,
    OpSpec,
    Record,
    Tensor,
    repeated_part,
    word_count,
)
from backends.cpu.schema.elementwise import Instruction, InstructionF32, Opcode
from backends.cpu.schema.kernel_sizes import kernel_sizes
from backends.cpu.schema.records import Activation, LowBitFormat, OutputQuantization, QuantParams, Window
from backends.cpu.schema.reduction import Reduction
from backends.cpu.schema.registry import ALL_OPS, BY_NAME, OPS
from backends.cpu.schema.resampling import ResizeMode

_SHARED = (Activation, Window, QuantParams, OutputQuantization, LowBitFormat, Instruction, InstructionF32)
_SHARED_ENUMS: tuple[type[IntEnum], ...] = (Reduction, ResizeMode, Opcode)
"""Records and enums that microkernels use. `records.h` defines them."""

_WORDS = """\
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Converts attribute words to floats and back. */
static inline float et_cpu_float_of_word(uint32_t word) {
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static inline uint32_t et_cpu_word_of_float(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

"""


def main(arguments: Sequence[str]) -> None:
    """Write each file named in `arguments`, or all files into a folder."""
    if arguments[0] == "--folder":
        outputs = [Path(arguments[1]) / name for name in file_names()]
    else:
        outputs = [Path(argument) for argument in arguments]
    for output in outputs:
        output.write_text(content_of(output.name))


def file_names() -> list[str]:
    """Return the names of all generated files."""
    return [
        "attribute_ranges.c",
        "cost_model.h",
        "kernel_sizes.h",
        "op_codes.h",
        "payload_tables.h",
        "records.h",
        *(f"{op.op_name()}.h" for op in ALL_OPS),
    ]


def content_of(name: str) -> str:
    """Return the content of the generated file `name`."""
    writers: dict[str, Callable[[], str]] = {
        "attribute_ranges.c": ranges_source,
        "cost_model.h": lambda: _header(name, [], _macros(_cost_model())),
        "kernel_sizes.h": lambda: _header(name, [], _macros(kernel_sizes())),
        "op_codes.h": lambda: _header(name, [], _op_codes()),
        "payload_tables.h": lambda: _header(name, [], _payload_tables()),
        "records.h": lambda: _header(name, [], _WORDS + _shared_definitions()),
    }
    if name in writers:
        return writers[name]()
    op = BY_NAME.get(name.removesuffix(".h"))
    return _undeclared_header(name) if op is None else _op_header(op)


def _undeclared_header(name: str) -> str:
    """Return a header with an #error.

    If an op is removed, only its users fail to compile.
    """
    problem = f"{name.removesuffix('.h')} is not declared; run tools/python -m backends.cpu.schema.codegen.update"
    return f'#error "backends/cpu/schema: {problem}"\n'


def _header(name: str, includes: Sequence[str], body: str) -> str:
    guard = f"BACKENDS_CPU_SCHEMA_{name.upper().replace('.', '_')}_"
    lines = "".join(f'#include "{each}"\n' for each in includes)
    return (
        "/* Generated from backends/cpu/schema. */\n"
        f"#ifndef {guard}\n#define {guard}\n\n{lines}\n{body}\n#endif /* {guard} */\n"
    )


def _cost_model() -> dict[str, tuple[int, str]]:
    return {name: (value, f"{each.meaning} Unit: {each.unit}.") for name, (value, each) in constants().items()}


def _macros(values: Mapping[str, tuple[int, str]]) -> str:
    """Return a macro for each constant, preceded by its description."""
    return "\n".join(f"{_comment(text)}#define ET_CPU_{name} {value}\n" for name, (value, text) in values.items())


def _comment(text: str) -> str:
    return "\n".join(wrap(text, 97, initial_indent="/* ", subsequent_indent=" * ")) + " */\n"


def _op_codes() -> str:
    values = "".join(f"  ET_CPU_OP_{op.op_name().upper()} = {op.code},\n" for op in OPS)
    return f"/* Codes of ops in payloads. */\ntypedef enum et_cpu_op_code {{\n{values}}} et_cpu_op_code;\n"


def _payload_tables() -> str:
    constants = {
        "MAGIC": (payload_tables.MAGIC, "First word of a payload."),
        "VERSION": (payload_tables.VERSION, "Version of the format."),
    }
    enums = "\n".join(map(enum_of, payload_tables.ENUMS))
    return f"#include <stdint.h>\n\n{_macros(constants)}\n{enums}\n{_definitions(payload_tables.ENTRIES)}"


def _definitions(records: Sequence[type[Record]]) -> str:
    parts = [text for record in records for text in (*map(enum_of, _own_enums(record)), struct_of(record))]
    return "\n".join(parts)


def _own_enums(record: type[Record]) -> list[type[IntEnum]]:
    defined = (*_SHARED_ENUMS, *payload_tables.ENUMS)
    return [enum for enum in enums_of(record) if enum not in defined]


def _shared_definitions() -> str:
    return "\n".join([*map(enum_of, _SHARED_ENUMS), _definitions(_SHARED)])


def _op_header(op: type[OpSpec]) -> str:
    name = op.op_name()
    base = op.__mro__[1]
    includes = ["backends/cpu/ops/op_schema.h", "backends/cpu/schema/op_codes.h", "backends/cpu/schema/records.h"]
    if base in OPS and _names(op.inputs) == _names(base.inputs):
        base_name = base.op_name()
        aliases = (f"typedef et_cpu_{base_name}_{kind} et_cpu_{name}_{kind};\n" for kind in ("attributes", "args"))
        includes.append(f"backends/cpu/schema/{base_name}.h")
        body = f"{comment_of(op)}{''.join(aliases)}\n{_args_alias(name, base_name)}"
    else:
        nested = _nested(op)
        includes += [f"backends/cpu/schema/{each.op_name()}.h" for each in nested if issubclass(each, OpSpec)]
        own = [record for record in nested if record not in _SHARED and not issubclass(record, OpSpec)]
        body = f"{_definitions(own)}{''.join(map(enum_of, _own_enums(op)))}{struct_of(op)}\n{_args(op)}"
    part = f"extern const et_backend_part et_{'cpu' if op in OPS else 'xnn'}_op_{name};\n"
    return _header(f"{name}.h", includes, f"{part}\n{body}\n{_schema(op)}")


def _names(tensors: Sequence[Tensor]) -> list[str]:
    return [each.name for each in tensors]


def _nested(record: type[Record]) -> list[type[Record]]:
    """Return the records in `record` at any depth.

    Records come before those that contain them.
    """
    found: dict[type[Record], None] = {}
    for each in records_of(record):
        inner = [] if issubclass(each, OpSpec) else _nested(each)
        found |= dict.fromkeys([*inner, each])
    return list(found)


def _args_alias(name: str, base: str) -> str:
    return (
        f"static inline et_cpu_{name}_args et_cpu_{name}_args_of(const et_cpu_op *op) {{\n"
        f"  return et_cpu_{base}_args_of(op);\n}}\n"
    )


def _args(op: type[OpSpec]) -> str:
    name = f"et_cpu_{op.op_name()}_args"
    tensors = [*op.inputs, *op.outputs, *op.workspaces]
    fields = "".join(f"  {_declaration(tensor)}\n" for tensor in tensors)
    fields += "".join(f"  const int32_t *{dim}; /* set before each call */\n" for dim in op.dims or ())
    values = "".join(f"      {each},\n" for each in _initializers(op))
    counted = ", op->attribute_count" if repeated_part(op) else ""
    return (
        f"typedef struct {name} {{\n{fields}  {c_name(op)} attributes;\n}} {name};\n\n"
        "/* The op must have passed et_cpu_check_schema. */\n"
        f"static inline {name} {name}_of(const et_cpu_op *op) {{\n"
        f"  const {name} args = {{\n{values}"
        f"      .attributes = {c_name(op)}_read(op->attributes{counted}),\n  }};\n  return args;\n}}\n"
    )


def _declaration(tensor: Tensor) -> str:
    if tensor.count is Count.MANY:
        return f"et_cpu_tensor *const *{tensor.name}; /* {tensor.name}_count tensors {tensor.shape} */\n  size_t {tensor.name}_count;"
    absent = "; NULL if absent" if tensor.count is Count.OPTIONAL else ""
    return f"const et_cpu_tensor *{tensor.name}; /* {tensor.shape}{absent} */"


def _initializers(op: type[OpSpec]) -> Iterator[str]:
    for i, tensor in enumerate(op.inputs):
        if tensor.count is Count.MANY:
            yield f".{tensor.name} = op->tensors + {i}"
            yield f".{tensor.name}_count = op->input_count - {i}u"
        elif tensor.count is Count.OPTIONAL:
            yield f".{tensor.name} = op->input_count > {i} ? op->tensors[{i}] : NULL"
        else:
            yield f".{tensor.name} = op->tensors[{i}]"
    for i, tensor in enumerate(op.outputs):
        if tensor.count is Count.MANY:
            yield f".{tensor.name} = op->tensors + op->input_count"
            yield f".{tensor.name}_count = op->output_count"
        else:
            yield f".{tensor.name} = op->tensors[op->input_count + {i}]"
    for i, tensor in enumerate(op.workspaces):
        yield f".{tensor.name} = op->tensors[op->input_count + op->output_count + {i}]"
    for i, dim in enumerate(op.dims or ()):
        yield f".{dim} = op->dims[{i}]"


def _schema(op: type[OpSpec]) -> str:
    name = f"et_cpu_{op.op_name()}"
    tensors = [*op.inputs, *op.outputs, *op.workspaces]
    rules = "".join(f"    {_rule(tensor)},\n" for tensor in tensors)
    ranges = ", ".join(map(str, word_ranges(op))) or "0"
    part = repeated_part(op)
    fields = {
        "name": f'"{op.op_name()}"',
        "tensors": f"{name}_tensors",
        "ranges": f"{name}_ranges",
        "inputs": _limits(op.inputs),
        "outputs": _limits(op.outputs),
        "workspaces": str(len(op.workspaces)),
        "input_rules": str(len(op.inputs)),
        "output_rules": str(len(op.outputs)),
        "words": str(word_count(op)),
        "repeated_words": str(part.words if part else 0),
        "in_place": "0" if op.in_place is None else str(op.in_place + 1),
        "dims": "ET_CPU_ANY_DIMS" if op.dims is None else str(len(op.dims)),
    }
    values = "".join(f"    .{field} = {value},\n" for field, value in fields.items())
    return (
        f"static const et_cpu_tensor_rule {name}_tensors[] = {{\n{rules}}};\n"
        f"static const uint8_t {name}_ranges[] = {{{ranges}}};\n"
        f"static const et_cpu_op_schema {name}_schema = {{\n{values}}};\n"
    )


def _limits(tensors: Sequence[Tensor]) -> str:
    return f"{{{sum(each.limits[0] for each in tensors)}, {sum(each.limits[1] for each in tensors)}}}"


def _rule(tensor: Tensor) -> str:
    mask = sum(1 << dtype for dtype in set(tensor.dtypes))
    lowest, highest = tensor.ranks
    return f"{{0x{mask:04x}, {lowest}, {highest}}}"


if __name__ == "__main__":
    main(sys.argv[1:])
