"""`emit_program` with the official arguments and result."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram

from exir import emit as emit_module
from exir import schema
from exir._serialize import ExternalData
from exir.emit import EmitOptions
from exir.program import debug_maps


@dataclass
class EmitterOutput:
    """A program with inline data, and maps from its instructions to the model."""

    program: schema.Program
    debug_handle_map: dict[str, dict[int, Any]] = field(default_factory=dict)
    method_to_delegate_debug_id_map: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    instruction_id_to_num_outs_map: dict[str, dict[int, int]] = field(default_factory=dict)
    mutable_data: list[schema.Buffer] | None = None
    external_constant_buffer: list[bytes] = field(default_factory=list)
    external_constant_map: dict[str, dict[str, int]] | None = field(default_factory=dict)


def emit_program(
    methods: ExportedProgram | Mapping[str, ExportedProgram],
    emit_stacktrace: bool = False,
    prim_getters: Mapping[str, Any] | None = None,
    emit_mutable_buffer_names: bool = False,
) -> EmitterOutput:
    """Emit methods with planned memory. A single method is named `forward`."""
    programs = {"forward": methods} if isinstance(methods, ExportedProgram) else methods
    options = EmitOptions(emit_stacktrace, emit_mutable_buffer_names)
    return official_output(emit_module.emit_program(programs, prim_getters or {}, options))


def official_output(emitted: emit_module.EmitterOutput) -> EmitterOutput:
    """Convert emitted output to the official class."""
    constants: list[bytes] = []
    files = {name: _constant_indices(entries, constants) for name, entries in emitted.external.items()}
    return EmitterOutput(
        emitted.program,
        debug_maps.debug_handles(emitted.methods),
        debug_maps.delegates(emitted.methods),
        debug_maps.result_counts(emitted.methods),
        emitted.mutable_data,
        constants,
        {name: indices for name, indices in files.items() if indices},
    )


def _constant_indices(entries: Iterable[ExternalData], constants: list[bytes]) -> dict[str, int]:
    """Return indices into `constants` for the tensors of a file.

    Adds each distinct content to `constants` once.
    """
    found = {}
    for entry in entries:
        if entry.layout is not None:
            data = bytes(entry.data)
            if data not in constants:
                constants.append(data)
            found[entry.key] = constants.index(data)
    return found
