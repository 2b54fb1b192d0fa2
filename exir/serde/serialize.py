"""Serializes programs to bytes and back.

A file is a zip archive with the graph as JSON, tensors in the format of `torch.save`, and the
schema version. ExecuTorch's developer tools read it. Loading does not execute code from the file
(`torch.load(weights_only=True)`).
"""

import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import torch
from torch._export.serde.schema import ExportedProgram as SerializedProgram
from torch._export.serde.schema import SchemaVersion
from torch._export.serde.serialize import (
    ExportedProgramDeserializer,
    GraphModuleDeserializer,
    GraphModuleSerializer,
    _int_to_sympy_int,
    serialize_range_constraints,
    serialize_torch_artifact,
)
from torch._export.verifier import load_verifier
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import Graph
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from exir.error import UserError
from exir.graph.program_copy import copy_graph_module
from exir.serde.delegates import Parts, module_of, module_text
from exir.serde.schema import VERSION, from_dict, from_json, to_dict, to_json
from exir.serde.stand_ins import insert_stand_ins, remove_stand_ins

_PROGRAM, _VERSION, _EXTRA = "serialized_exported_program.json", "version", "extra_files/"
_TENSORS = ("serialized_state_dict.pt", "serialized_constants.pt", "serialized_example_inputs.pt")


@dataclass(frozen=True)
class SerializedArtifact:
    """A program in four parts: the graph as JSON, and tensors as `torch.save` data."""

    exported_program: bytes
    state_dict: bytes
    constants: bytes
    example_inputs: bytes


def serialize(
    exported_program: ExportedProgram, opset_version: Mapping[str, int] | None = None
) -> SerializedArtifact:
    """Serialize a program. Raises `UserError` for unsupported values."""
    plain, constants = _to_torch_schema(exported_program, opset_version)
    return SerializedArtifact(
        to_json(plain),
        serialize_torch_artifact(exported_program.state_dict),
        serialize_torch_artifact(constants),
        serialize_torch_artifact(exported_program.example_inputs)
        if exported_program.example_inputs
        else b"",
    )


def _to_torch_schema(
    program: ExportedProgram, opset_version: Mapping[str, int] | None = None
) -> tuple[SerializedProgram, dict[str, Any]]:
    """Return the program as torch's schema, and its constants."""
    graph_module = copy_graph_module(program.graph_module)
    insert_stand_ins(graph_module, lambda lowered: module_text(lowered, _parts_of))
    serializer = GraphModuleSerializer(program.graph_signature, program.module_call_graph)
    described = SerializedProgram(
        graph_module=serializer.serialize(graph_module),
        opset_version={"aten": torch._C._get_max_operator_version(), **(opset_version or {})},
        range_constraints=serialize_range_constraints(program.range_constraints),
        schema_version=SchemaVersion(*VERSION),
        verifiers=[verifier.dialect for verifier in program.verifiers],
    )
    return described, {**serializer.custom_objs, **program.constants}


def _parts_of(program: ExportedProgram) -> Parts:
    plain, constants = _to_torch_schema(program)
    return (
        to_dict(plain),
        serialize_torch_artifact(program.state_dict),
        serialize_torch_artifact(constants),
    )


def deserialize(artifact: SerializedArtifact) -> ExportedProgram:
    """Return the program of an artifact that `serialize` returned."""
    return _program_of(
        from_json(artifact.exported_program),
        artifact.state_dict,
        artifact.constants,
        artifact.example_inputs,
    )


def _program_of(
    plain: SerializedProgram, state: bytes, constants: bytes, example_inputs: bytes
) -> ExportedProgram:
    ranges = {name: _value_range(bounds) for name, bounds in plain.range_constraints.items()}
    found = GraphModuleDeserializer().deserialize(
        plain.graph_module, state, constants, example_inputs, ranges
    )
    remove_stand_ins(found.graph_module, lambda text: module_of(text, _program_of_parts))
    program = ExportedProgram(
        root=found.graph_module,
        graph=_empty_graph(),
        graph_signature=ExportGraphSignature([], []),
        state_dict=found.state_dict,
        range_constraints=ExportedProgramDeserializer().deserialize_range_constraints(
            ranges, found.names_to_symbols
        ),
        module_call_graph=[],
        example_inputs=found.example_inputs,
        constants=found.constants,
        verifiers=[load_verifier(dialect) for dialect in plain.verifiers],
    )
    # Set these afterwards: torch's class verifies its arguments, and rejects memory operators.
    program._graph_module, program._graph_signature = found.graph_module, found.signature
    program._module_call_graph = found.module_call_graph
    return program


def _empty_graph() -> Graph:
    graph = Graph()
    graph.output(())
    return graph


def _program_of_parts(parts: Parts) -> ExportedProgram:
    plain, state, constants = parts
    return _program_of(from_dict(plain), state, constants, b"")


def _value_range(bounds: Any) -> ValueRanges[Any]:
    return ValueRanges(
        _int_to_sympy_int(bounds.min_val, -int_oo), _int_to_sympy_int(bounds.max_val, int_oo)
    )


def save(
    exported_program: ExportedProgram,
    file: str | os.PathLike[str] | BinaryIO,
    *,
    extra_files: Mapping[str, str] | None = None,
    opset_version: Mapping[str, int] | None = None,
) -> None:
    """Write a program to a file, with other text files in the same archive."""
    artifact = serialize(exported_program, opset_version)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_PROGRAM, artifact.exported_program)
        for name, data in zip(
            _TENSORS, (artifact.state_dict, artifact.constants, artifact.example_inputs)
        ):
            archive.writestr(name, data)
        archive.writestr(_VERSION, ".".join(map(str, VERSION)))
        for name, text in (extra_files or {}).items():
            archive.writestr(_EXTRA + name, text)


def load(
    file: str | os.PathLike[str] | BinaryIO, *, extra_files: dict[str, Any] | None = None
) -> ExportedProgram:
    """Load a program that `save` wrote; `extra_files` receives the other files.

    Raises `UserError` if the file has a different version.
    """
    with zipfile.ZipFile(file) as archive:
        version = archive.read(_VERSION).decode()
        if version.partition(".")[0] != str(VERSION[0]):
            raise UserError(
                f"serialized program of schema {version}; only schema {VERSION[0]} is supported"
            )
        if extra_files is not None:
            names = [name for name in archive.namelist() if name.startswith(_EXTRA)]
            extra_files |= {name.removeprefix(_EXTRA): archive.read(name).decode() for name in names}
        return deserialize(SerializedArtifact(archive.read(_PROGRAM), *map(archive.read, _TENSORS)))
