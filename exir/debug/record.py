"""The debug record, which ExecuTorch's developer tools read.

Readers are `executorch.devtools.parse_etrecord` and `Inspector`. The record contains the programs
of each stage (`exir.serde`), and maps from the instructions of the `.pte` to their nodes, so that
profiles and traces refer to the model's source.
"""

import io
import json
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import torch
from torch.export import ExportedProgram

from exir.debug.source import import_path
from exir.error import ConfigError
from exir.program import EdgeProgramManager, ExecutorchProgramManager
from exir.serde import serialize

_IDENTIFIER = "ETRECORD_V0"
_EXPORTED, _GRAPH_ID, _EDGE = "exported_program", "export_graph_id", "edge_dialect_exported_program"
_RESERVED = (
    _IDENTIFIER,
    _EXPORTED,
    _GRAPH_ID,
    _EDGE,
    "et_dialect_graph_module",
    "reference_outputs",
) + (
    "debug_handle_map",
    "delegate_map",
    "instruction_id_to_num_outs_map",
    "representative_inputs",
)

# The patterns match JSON, and JSON within a JSON string.
_GRAPH_ADDRESS = re.compile(r'(graph_id\\*": )(\d+)')
_FILE = re.compile(r'(\bFile (\\+)")((?:[^"\\]|\\+u[0-9a-f]{4})+)')
_ESCAPED = re.compile(r"\\+u([0-9a-f]{4})")

File = str | os.PathLike[str] | BinaryIO


class ETRecord:
    """A debug record.

    `to_edge(…, generate_etrecord=True)` creates one.

    exported_program: the program of `torch.export`.
    edge_programs: the programs of `to_edge`, by method.
    graph_map: other programs, by name and method.
    debug_maps: the maps of `ExecutorchProgramManager`, by name; empty before
        `add_executorch_program`.
    """

    def __init__(self) -> None:
        self.exported_program: ExportedProgram | None = None
        self.edge_programs: dict[str, ExportedProgram] = {}
        self.graph_map: dict[str, ExportedProgram] = {}
        self.debug_maps: dict[str, Any] = {}
        self._reference_outputs: Mapping[str, Sequence[Any]] | None = None
        self._representative_inputs: Sequence[Any] | None = None

    def copy(self) -> "ETRecord":
        """Return a copy without the data of later stages."""
        copied = ETRecord()
        copied.exported_program = self.exported_program
        copied.edge_programs = dict(self.edge_programs)
        copied.graph_map = dict(self.graph_map)
        return copied

    def add_exported_program(
        self, exported_program: ExportedProgram | Mapping[str, ExportedProgram] | None
    ) -> None:
        """Add the exported program, or that of `forward` if there are several.

        Raises `ConfigError` if the record already has one.
        """
        if self.exported_program is not None:
            raise ConfigError(
                "the debug record already has an exported program; create a new record for each compilation"
            )
        if isinstance(exported_program, Mapping):
            exported_program = exported_program.get("forward")
        self.exported_program = exported_program

    def add_edge_dialect_program(self, edge_dialect_program: EdgeProgramManager) -> None:
        """Add the edge programs.

        Raises `ConfigError` if the record already has edge programs.
        """
        if self.edge_programs:
            raise ConfigError(
                "the debug record already has edge programs; create a new record for each compilation"
            )
        self.edge_programs = _programs_of(edge_dialect_program)

    def add_extra_export_modules(
        self, modules: Mapping[str, ExportedProgram | EdgeProgramManager]
    ) -> None:
        """Add other programs by name. Raises `ConfigError` for a reserved name."""
        for name, module in modules.items():
            if any(reserved in name for reserved in _RESERVED):
                raise ConfigError(
                    f"'{name}' is a reserved name of debug records; choose a name without: "
                    f"{', '.join(_RESERVED)}"
                )
            self.graph_map |= {
                f"{name}/{method}": program for method, program in _programs_of(module).items()
            }

    def add_executorch_program(self, program: ExecutorchProgramManager) -> None:
        """Add the maps from instructions to nodes.

        Raises `ConfigError` if the record already has these maps.
        """
        if self.debug_maps:
            raise ConfigError(
                "the debug record already has the maps of a program; create a new record for each compilation"
            )
        self.debug_maps = {
            "debug_handle_map": program.debug_handle_map,
            "delegate_map": program.delegate_map,
            "instruction_id_to_num_outs_map": program.instruction_id_to_num_outs_map,
        }

    def update_representative_inputs(self, inputs: Sequence[Any]) -> None:
        """Add inputs of `forward`, for tools that run the exported program."""
        self._representative_inputs = inputs

    def update_reference_outputs(self, outputs: Mapping[str, Sequence[Any]] | Sequence[Any]) -> None:
        """Add reference outputs for these inputs, by method or of `forward`."""
        self._reference_outputs = outputs if isinstance(outputs, Mapping) else {"forward": outputs}

    def save(self, path: File) -> None:
        """Write the record.

        Raises `ConfigError` if the edge programs or the lowered program are missing.
        """
        if not (self.edge_programs and self.debug_maps):
            raise ConfigError(
                "the debug record is incomplete; call 'add_edge_dialect_program' and "
                "'add_executorch_program' first"
            )
        portable = _PortableText()
        with zipfile.ZipFile(path, "w") as archive:
            _write_entry(archive, _IDENTIFIER, "")
            if self.exported_program is not None:
                number = portable.number(id(self.exported_program.graph))
                _write_entry(archive, _GRAPH_ID, json.dumps(number))
            for name, program in self._named_programs().items():
                _write_program(archive, name, program, portable)
            for name, value in self.debug_maps.items():
                _write_entry(archive, name, json.dumps(value))
            self._write_values(archive)

    def _named_programs(self) -> dict[str, ExportedProgram]:
        exported = {} if self.exported_program is None else {_EXPORTED: self.exported_program}
        edge = {f"{_EDGE}/{method}": program for method, program in self.edge_programs.items()}
        return {**exported, **edge, **self.graph_map}

    def _write_values(self, archive: zipfile.ZipFile) -> None:
        values = {
            "reference_outputs": self._reference_outputs,
            "representative_inputs": self._representative_inputs,
        }
        for name, value in values.items():
            if value is not None:
                buffer = io.BytesIO()
                torch.save(value, buffer)
                _write_entry(archive, name, buffer.getvalue())


def generate_etrecord(
    et_record: File,
    edge_dialect_program: EdgeProgramManager,
    executorch_program: ExecutorchProgramManager,
    exported_program: ExportedProgram | Mapping[str, ExportedProgram] | None = None,
    extra_recorded_export_modules: Mapping[str, ExportedProgram | EdgeProgramManager] | None = None,
) -> None:
    """Write the debug record of a compilation from its stages."""
    record = ETRecord()
    record.add_exported_program(exported_program)
    record.add_edge_dialect_program(edge_dialect_program)
    record.add_executorch_program(executorch_program)
    record.add_extra_export_modules(extra_recorded_export_modules or {})
    record.save(et_record)


def _programs_of(programs: ExportedProgram | EdgeProgramManager) -> dict[str, ExportedProgram]:
    if isinstance(programs, ExportedProgram):
        return {"forward": programs}
    return {method: programs.exported_program(method) for method in sorted(programs.methods)}


def _write_entry(archive: zipfile.ZipFile, name: str, content: str | bytes) -> None:
    """Write an entry with a fixed date, so that the archive is deterministic."""
    archive.writestr(zipfile.ZipInfo(name), content)


class _PortableText:
    """Serialized programs without memory addresses and absolute paths.

    Records are therefore equal on every machine. Torch identifies the source graph of a node by its
    address. Addresses are replaced by numbers in order of first use. File names become paths
    relative to their import root.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def number(self, address: int) -> int:
        return self._numbers.setdefault(address, len(self._numbers) + 1)

    def of(self, program: bytes) -> bytes:
        text = _GRAPH_ADDRESS.sub(
            lambda found: f"{found[1]}{self.number(int(found[2]))}", program.decode()
        )
        return _FILE.sub(_portable_file, text).encode()


def _portable_file(found: re.Match[str]) -> str:
    """Return `File "path"` with the path relative to its import root.

    Non-ASCII characters keep their escapes.
    """
    path = import_path(_ESCAPED.sub(lambda letter: chr(int(letter[1], 16)), found[3]))
    return found[1] + json.dumps(path)[1:-1].replace("\\", found[2])


def _write_program(
    archive: zipfile.ZipFile, name: str, program: ExportedProgram, portable: _PortableText
) -> None:
    artifact = serialize(program)
    _write_entry(archive, name, portable.of(artifact.exported_program))
    _write_entry(archive, f"{name}_state_dict", artifact.state_dict)
    _write_entry(archive, f"{name}_constants", artifact.constants)
    _write_entry(archive, f"{name}_example_inputs", artifact.example_inputs)
