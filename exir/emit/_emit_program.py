"""Emit the methods of a model as one program."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from exir import schema
from exir._serialize import ExternalData, NamedBlob
from exir.emit._external import ExternalFiles
from exir.emit._method import EmitOptions, MethodOutput, emit_method
from exir.emit._named_data import named_data
from exir.emit._shared import SharedData, bytes_of
from exir.emit._values import Values
from exir.tensor import TensorSpec


@dataclass(frozen=True)
class EmitterOutput:
    """A program with its data inline, ready to be serialized.

    mutable_data: initial states; entry 0 is reserved.
    methods: the output for each method that has a graph.
    named_data: the data that delegates look up by name, sorted by key.
    external: the data that is stored in separate files, by file name.
    """

    program: schema.Program
    mutable_data: list[schema.Buffer]
    methods: dict[str, MethodOutput] = field(default_factory=dict)
    named_data: list[NamedBlob] = field(default_factory=list)
    external: dict[str, list[ExternalData]] = field(default_factory=dict)


def emit_program(
    methods: Mapping[str, ExportedProgram], prim_getters: Mapping[str, Any], options: EmitOptions
) -> EmitterOutput:
    """Emit memory-planned `methods`, sorted by name, and constant methods.

    prim_getters: the value of each constant method: numbers, strings, tensors, or nested tuples,
        lists and dicts of them.
    """
    shared = SharedData(external=ExternalFiles(options.content_keys))
    outputs = {name: emit_method(name, methods[name], shared, options) for name in sorted(methods)}
    plans = [output.plan for output in outputs.values()]
    plans += [_emit_getter(name, value, shared) for name, value in sorted(prim_getters.items())]
    program = schema.Program(
        execution_plan=plans,
        constant_buffer=shared.constants.buffers,
        backend_delegate_data=shared.delegates,
    )
    blobs = named_data(outputs, options.named_data_file, shared.external)
    external = {name: list(entries.values()) for name, entries in shared.external.files.items()}
    return EmitterOutput(program, shared.states.buffers, outputs, blobs, external)


def _emit_getter(name: str, value: Any, shared: SharedData) -> schema.ExecutionPlan:
    """Return a method without inputs and instructions that returns `value`."""
    values = Values()
    outputs = [_emit_constant(item, values, shared) for item in pytree.tree_leaves(value)]
    return schema.ExecutionPlan(
        name=name,
        container_meta_type=schema.ContainerMetadata("", ""),
        values=values.values,
        outputs=outputs,
        chains=[schema.Chain()],
        non_const_buffer_sizes=[0],
    )


def _emit_constant(value: Any, values: Values, shared: SharedData) -> int:
    if not isinstance(value, torch.Tensor):
        return values.add_constant(value)
    spec = TensorSpec.from_tensor(value)
    return values.add_stored(spec, shared.constants.add(bytes_of(value, spec)))
