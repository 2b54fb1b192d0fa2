"""C structs of records, with functions that decode and encode their words."""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Any, get_args, get_origin

from backends.cpu.schema.declarations import (
    Int64,
    OpSpec,
    Part,
    Record,
    Unsigned,
    is_optional_float,
    parts_of,
    word_count,
)

_NO_FIELDS = "  char unused;\n"


def struct_of(record: type[Record]) -> str:
    """Return the definition of the record's struct and of its functions."""
    name = c_name(record)
    fields = "".join(f"  {declaration};\n" for part in parts_of(record) for declaration in _declarations(part))
    return (
        f"{comment_of(record)}typedef struct {name} {{\n{fields or _NO_FIELDS}}} {name};\n\n"
        f"#define {name.upper()}_WORDS {word_count(record)}u\n\n{_reader(record)}\n{_writer(record)}"
    )


def enum_of(enum: type[IntEnum]) -> str:
    """Return the definition of an enum and a table for each of its properties."""
    name = f"et_cpu_{snake_case(enum.__name__)}"
    values = "".join(f"  {name.upper()}_{member.name} = {member.value},\n" for member in enum)
    tables = "".join(_table(name, enum, each) for each in vars(enum) if isinstance(vars(enum)[each], property))
    return f"{comment_of(enum)}typedef enum {name} {{\n{values}}} {name};\n{tables}"


def _table(name: str, enum: type[IntEnum], each: str) -> str:
    """Return a macro that initializes an array with a property of all members.

    The values of the members are the indices.
    """
    values = ", ".join(f"[{member.value}] = {int(getattr(member, each))}" for member in enum)
    return f"#define {name.upper()}_{each.upper()} {{{values}}}\n"


def enums_of(record: type[Record]) -> list[type[IntEnum]]:
    """Return the enums of the record's own fields."""
    annotations = [part.annotation for part in parts_of(record)]
    return [each for each in annotations if isinstance(each, type) and issubclass(each, IntEnum)]


def records_of(record: type[Record]) -> list[type[Record]]:
    """Return the records that are fields of `record`."""
    annotations = [part.annotation for part in parts_of(record)]
    return [each for each in annotations if isinstance(each, type) and issubclass(each, Record)]


def c_name(record: type[Record]) -> str:
    """Return the name of the record's struct."""
    if issubclass(record, OpSpec):
        return f"et_cpu_{record.op_name()}_attributes"
    return f"et_cpu_{record.c_name or snake_case(record.__name__)}"


def snake_case(name: str) -> str:
    """Return `name`, a class name, in lower case with underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def comment_of(declared: type) -> str:
    """Return the docstring of `declared` as a C comment."""
    lines = (declared.__doc__ or "").strip().splitlines()
    body = "".join(f"\n * {line.strip()}".rstrip() for line in lines[1:])
    return f"/* {lines[0]}{body} */\n"


def _declarations(part: Part) -> Iterator[str]:
    if part.is_repeated:
        yield f"const uint32_t *{part.name} /* {part.name}_count elements of {part.words} words */"
        yield f"size_t {part.name}_count"
    elif is_optional_float(part.annotation):
        yield f"bool has_{part.name}"
        yield f"float {part.name}"
    elif get_origin(part.annotation) is tuple:
        elements = get_args(part.annotation)
        yield f"{_scalar_type(elements[0])} {part.name}[{len(elements)}]"
    else:
        yield f"{_scalar_type(part.annotation)} {part.name}"


def _scalar_type(annotation: Any) -> str:
    if issubclass(annotation, Record):
        return c_name(annotation)
    if annotation is float:
        return "float"
    if annotation is bool:
        return "bool"
    if annotation is Int64:
        return "int64_t"
    return "uint32_t" if issubclass(annotation, (IntEnum, Unsigned)) else "int32_t"


def _reader(record: type[Record]) -> str:
    """Return a function that also compiles as C++: it has no designated initializers."""
    name = c_name(record)
    body = "".join(f"  {each};\n" for part in parts_of(record) for each in _decoding(part))
    parameters = "const uint32_t *words, size_t count" if _is_open(record) else "const uint32_t *words"
    start = f"  {name} record;\n{body}" if body else f"  (void)words;\n  const {name} record = {{0}};\n"
    return f"static inline {name} {name}_read({parameters}) {{\n{start}  return record;\n}}\n"


def _is_open(record: type[Record]) -> bool:
    return any(part.is_repeated for part in parts_of(record))


def _decoding(part: Part) -> Iterator[str]:
    """Yield the statements that decode a field."""
    field = f"record.{part.name}"
    if part.is_repeated:
        yield f"{field} = words + {part.offset}"
        yield f"{field}_count = (count - {part.offset}) / {part.words}"
    elif is_optional_float(part.annotation):
        yield f"record.has_{part.name} = {_decoded(bool, part.offset)}"
        yield f"{field} = {_decoded(float, part.offset + 1)}"
    elif get_origin(part.annotation) is tuple:
        for i, element in enumerate(get_args(part.annotation)):
            yield f"{field}[{i}] = {_decoded(element, part.offset + i)}"
    else:
        yield f"{field} = {_decoded(part.annotation, part.offset)}"


def _decoded(annotation: Any, offset: int) -> str:
    word = f"words[{offset}]"
    if issubclass(annotation, Record):
        return f"{c_name(annotation)}_read(words + {offset})"
    if annotation is float:
        return f"et_cpu_float_of_word({word})"
    if annotation is bool:
        return f"{word} != 0"
    if annotation is Int64:
        return f"(int64_t)((uint64_t)words[{offset + 1}] << 32 | {word})"
    return word if issubclass(annotation, (IntEnum, Unsigned)) else f"(int32_t){word}"


def _writer(record: type[Record]) -> str:
    name = c_name(record)
    body = "".join(_statements(record, part) for part in parts_of(record))
    unused = "" if body else "  (void)record;\n  (void)words;\n"
    return f"static inline void {name}_write(const {name} *record, uint32_t *words) {{\n{unused}{body}}}\n"


def _statements(record: type[Record], part: Part) -> str:
    """Return the statements that encode a field."""
    if part.is_repeated:
        return (
            f"  for (size_t i = 0; i < record->{part.name}_count * {part.words}; i++) {{\n"
            f"    words[{part.offset} + i] = record->{part.name}[i];\n  }}\n"
        )
    lines = "".join(f"  {line};\n" for line in _assignments(part))
    if part.only_if is None:
        return lines
    name, value = part.only_if
    tag = next(each.annotation for each in parts_of(record) if each.name == name)
    return f"  if (record->{name} == {_constant(tag, value)}) {{\n{lines}  }}\n"


def _constant(annotation: Any, value: int) -> str:
    if issubclass(annotation, IntEnum):
        return f"ET_CPU_{snake_case(annotation.__name__).upper()}_{annotation(value).name}"
    return str(int(value))


def _assignments(part: Part) -> Iterator[str]:
    if is_optional_float(part.annotation):
        yield f"words[{part.offset}] = record->has_{part.name}"
        yield _assignment(float, part.offset + 1, f"record->{part.name}")
    elif get_origin(part.annotation) is tuple:
        for i, element in enumerate(get_args(part.annotation)):
            yield _assignment(element, part.offset + i, f"record->{part.name}[{i}]")
    elif part.annotation is Int64:
        yield f"words[{part.offset}] = (uint32_t)(uint64_t)record->{part.name}"
        yield f"words[{part.offset + 1}] = (uint32_t)((uint64_t)record->{part.name} >> 32)"
    else:
        yield _assignment(part.annotation, part.offset, f"record->{part.name}")


def _assignment(annotation: Any, offset: int, value: str) -> str:
    if issubclass(annotation, Record):
        return f"{c_name(annotation)}_write(&{value}, words + {offset})"
    if annotation is float:
        return f"words[{offset}] = et_cpu_word_of_float({value})"
    return f"words[{offset}] = (uint32_t){value}"
