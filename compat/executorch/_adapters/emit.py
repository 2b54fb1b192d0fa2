"""`emit_program` with the official arguments and result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram

from exir import emit as emit_module
from exir import schema
from exir.emit import EmitOptions


@dataclass
class EmitterOutput:
    """A program with its bytes inline, and maps from its instructions back to the model."""

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
    """The program of memory-planned methods; one alone is `forward`."""
    named = {"forward": methods} if isinstance(methods, ExportedProgram) else methods
    options = EmitOptions(emit_stacktrace, emit_mutable_buffer_names)
    return official_output(emit_module.emit_program(named, prim_getters or {}, options))


def official_output(emitted: emit_module.EmitterOutput) -> EmitterOutput:
    """What has been emitted, in the official package's terms."""
    handles = {
        name: dict(enumerate(node.meta.get("debug_handle") for node in output.nodes))
        for name, output in emitted.methods.items()
    }
    return EmitterOutput(emitted.program, handles, mutable_data=emitted.mutable_data)
