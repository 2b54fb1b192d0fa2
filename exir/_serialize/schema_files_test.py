"""Tests that the `.fbs` files agree with `exir.schema`."""

import re
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from exir import schema
from exir._serialize import _flat_tensor
from exir._serialize._tables import (
    BytesKind,
    Kind,
    ScalarKind,
    StringKind,
    TableKind,
    UnionKind,
    VectorKind,
    fields_of,
)
from exir.bundled import tables

DIRECTORY = Path(__file__).parents[2] / "schema"
WIRE_NAMES = {
    "uint8": "ubyte",
    "int8": "byte",
    "int32": "int",
    "uint32": "uint",
    "int64": "long",
    "uint64": "ulong",
    "float64": "double",
    "bool": "bool",
}


_UNIONS = {
    "KernelTypes": get_args(schema.KernelTypes),
    "InstructionArguments": get_args(schema.InstructionArguments),
    "ValueUnion": get_args(tables.ValueUnion),
}


def text_of(name: str) -> str:
    return re.sub(r"//.*", "", (DIRECTORY / name).read_text())


def blocks(kind: str, text: str) -> dict[str, list[str]]:
    """Return the entries of each `table`, `enum` or `union`, by name."""
    found = re.findall(rf"{kind} (\w+)[^{{]*{{([^}}]*)}}", text)
    return {name: [e.strip() for e in re.split("[;,]", body) if e.strip()] for name, body in found}


def spelled(kind: Kind) -> str:
    """Return the type of a field in `.fbs` syntax."""
    match kind:
        case ScalarKind(wire, None):
            return WIRE_NAMES[wire.name]
        case ScalarKind(_, enum):
            assert enum is not None
            return enum.__name__
        case StringKind():
            return "string"
        case BytesKind(alignment):
            return "[ubyte]" + (f" (force_align: {alignment})" if alignment > 1 else "")
        case TableKind(table):
            return table.__name__
        case VectorKind(element):
            return f"[{spelled(element)}]"
        case UnionKind(tables):
            return next(name for name, members in _UNIONS.items() if tables == members)


TABLES = blocks("table", text_of("program.fbs"))


@pytest.mark.parametrize("name", TABLES)
def test_program_tables_have_the_schemas_fields_in_order(name: str) -> None:
    fields = [f"{field.name}: {spelled(field.kind)}" for field in fields_of(getattr(schema, name))]
    assert fields == [field for field in TABLES[name] if not field.startswith("reserved_")]


@pytest.mark.parametrize("name", TABLES)
def test_reserved_fields_are_not_described(name: str) -> None:
    slots = [field.slot for field in fields_of(getattr(schema, name))]
    reserved = [place for place, field in enumerate(TABLES[name]) if field.startswith("reserved_")]
    assert not set(slots) & set(reserved)


OTHER_TABLES = [
    (module, name, fields)
    for module, file in ((_flat_tensor, "flat_tensor.fbs"), (tables, "bundled_program.fbs"))
    for name, fields in blocks("table", text_of(file)).items()
]


@pytest.mark.parametrize("module, name, expected", OTHER_TABLES)
def test_data_file_tables_have_the_schemas_fields_in_order(
    module: ModuleType, name: str, expected: list[str]
) -> None:
    fields = [f"{field.name}: {spelled(field.kind)}" for field in fields_of(getattr(module, name))]
    # Bundles need a larger alignment of the program, which the writer ensures.
    aligned = [field.replace("force_align: 32", "force_align: 16") for field in expected]
    assert fields == [field.replace("executorch_flatbuffer.", "") for field in aligned]


@pytest.mark.parametrize(
    "union, file",
    [
        ("KernelTypes", "program.fbs"),
        ("InstructionArguments", "program.fbs"),
        ("ValueUnion", "bundled_program.fbs"),
    ],
)
def test_unions_have_the_same_members_in_the_same_order(union: str, file: str) -> None:
    members = [member.__name__ for member in _UNIONS[union]]
    assert members == blocks("union", text_of(file))[union]


@pytest.mark.parametrize(
    "name, file",
    [
        ("ScalarType", "scalar_type.fbs"),
        ("TensorShapeDynamism", "program.fbs"),
        ("TensorDataLocation", "program.fbs"),
        ("DeviceType", "program.fbs"),
        ("DataLocation", "program.fbs"),
    ],
)
def test_enums_have_the_same_values(name: str, file: str) -> None:
    enum: type[IntEnum] = getattr(schema, name)
    values = [f"{m.name} = {m.value}" for m in enum if m.name != "COMPLEX32"]
    assert values == blocks("enum", text_of(file))[name]


def test_every_table_of_the_file_is_described() -> None:
    assert {"Program", "ExecutionPlan", "EValue", "Tensor", "Instruction"} <= set(TABLES)
