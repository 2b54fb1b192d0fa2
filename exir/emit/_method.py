"""Emit one method as an execution plan."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, InputSpec, OutputKind
from torch.fx import Node
from torch.utils import _pytree as pytree

from exir import schema
from exir.emit._conditions import encode_conditions, unchecked_note
from exir.emit._graph import GraphEmitter
from exir.emit._instructions import Instructions
from exir.emit._ranges import ranges_of_ends
from exir.emit._shared import SharedData, bytes_of
from exir.emit._values import Values
from exir.error import ExportError, ExportErrorType
from exir.graph.constants import EXTERNAL_FILE
from exir.inspection.ranges import numbers_of
from exir.schema import ContainerMetadata
from exir.tensor import TensorSpec
from exir.verification.assumptions import input_conditions, line_of_condition


@dataclass(frozen=True)
class EmitOptions:
    """The options of `ExecutorchBackendConfig` that affect emission.

    stacktrace: write source lines; state_names: write names of mutable buffers.
    content_keys: name external constants by their content.
    named_data_file: the file of named data whose backend chose no file; None stores it in the
        program.
    """

    stacktrace: bool = False
    state_names: bool = False
    content_keys: bool = False
    named_data_file: str | None = None


@dataclass(frozen=True)
class MethodOutput:
    """A plan, and the graph node of each of its instructions.

    notes: messages for the user.
    """

    plan: schema.ExecutionPlan
    nodes: list[Node]
    notes: tuple[str, ...] = ()


def emit_method(
    name: str, program: ExportedProgram, shared: SharedData, options: EmitOptions
) -> MethodOutput:
    """Return the plan of a memory-planned program.

    Raises an `ExirError` that names the invalid node.
    """
    return _MethodEmitter(program, shared, options).emit(name)


class _MethodEmitter:
    """Emits inputs and constants, then the graph, then outputs."""

    def __init__(self, program: ExportedProgram, shared: SharedData, options: EmitOptions) -> None:
        self._program = program
        self._shared = shared
        self._options = options
        self._values = Values()
        self._instructions = Instructions()
        self._graph = GraphEmitter(self._values, self._instructions, shared)
        self._unchecked: dict[Any, str] = {}

    def emit(self, name: str) -> MethodOutput:
        inputs = self._emit_placeholders(name)
        self._graph.emit(self._program.graph_module)
        outputs = self._emit_outputs()
        plan = schema.ExecutionPlan(
            name=name,
            container_meta_type=self._container_metadata(inputs, outputs),
            values=self._values.values,
            inputs=inputs,
            outputs=outputs,
            chains=[self._instructions.chain(self._options.stacktrace)],
            operators=self._instructions.operators,
            delegates=self._instructions.delegates,
            non_const_buffer_sizes=list(self._program.graph_module.meta["non_const_buffer_sizes"]),
        )
        notes = tuple(
            unchecked_note(name, text, line_of_condition(self._program, condition))
            for condition, text in self._unchecked.items()
        )
        return MethodOutput(plan, self._instructions.nodes, notes)

    def _container_metadata(self, inputs: list[int], outputs: list[int]) -> schema.ContainerMetadata:
        call = self._program.call_spec
        container = container_metadata(call.in_spec, call.out_spec)
        input_nodes, output_values = _user_ends(self._program)
        ends = [(node, index) for node, index in zip(input_nodes, inputs) if isinstance(node, Node)]
        ranges = ranges_of_ends(
            self._program.range_constraints,
            ends,
            [(node, index) for node, index in zip(output_values, outputs) if isinstance(node, Node)],
        )
        conditions = encode_conditions(input_conditions(self._program), ends)
        self._unchecked = conditions.unchecked
        return replace(
            container,
            ranges=numbers_of(ranges) or None,
            conditions=conditions.numbers or None,
            condition_texts="\n".join(conditions.texts) or None,
        )

    def _emit_placeholders(self, method: str) -> list[int]:
        """Add values for inputs and used constants. Return the values of the inputs."""
        placeholders = self._program.graph.find_nodes(op="placeholder")
        inputs = []
        for node, spec in zip(placeholders, self._program.graph_signature.input_specs):
            if spec.kind is InputKind.USER_INPUT:
                index = self._emit_input(node, spec)
                self._graph.indices[node] = index
                inputs.append(index)
            elif node.users:
                self._graph.indices[node] = self._emit_stored_input(node, spec, method)
        return inputs

    def _emit_input(self, node: Node, spec: InputSpec) -> int:
        if isinstance(spec.arg, ConstantArgument):
            return self._values.add_constant(spec.arg.value, node)
        if isinstance(node.meta["spec"], TensorSpec):
            return self._values.tensor(node.meta["spec"])
        value = node.meta["val"]
        if isinstance(value, (int, float)):
            return self._values.add_constant(value, node)
        return self._values.add_number(value, node)

    def _emit_stored_input(self, node: Node, spec: InputSpec, method: str) -> int:
        tensor_spec: TensorSpec = node.meta["spec"]
        data = bytes_of(self._tensor_of(node, spec), tensor_spec)
        if EXTERNAL_FILE in node.meta:
            file, target = node.meta[EXTERNAL_FILE], spec.target or node.name
            key = self._shared.external.add(file, target, method, tensor_spec, data)
            return self._values.add_external(tensor_spec, key)
        if not tensor_spec.state:
            return self._values.add_stored(tensor_spec, self._shared.constants.add(data))
        # A copy, because eager calls of the exported module write to its buffers.
        index = (
            self._shared.states.add(memoryview(bytes(data))) if _needs_initial_state(node, data) else 0
        )
        name = spec.target if self._options.state_names else None
        return self._values.add_stored(tensor_spec, index, name)

    def _tensor_of(self, node: Node, spec: InputSpec) -> torch.Tensor:
        """Return the tensor of a parameter, buffer or lifted constant."""
        constants = self._program.constants
        tensor = self._program.state_dict.get(spec.target, constants.get(spec.target))
        if not isinstance(tensor, torch.Tensor):
            message = (
                f"a .pte program cannot have input '{node.name}' of kind {spec.kind.name}; pass a tensor, "
                "or register it as a buffer"
            )
            raise ExportError(ExportErrorType.NOT_SUPPORTED, message, node)
        return tensor

    def _emit_outputs(self) -> list[int]:
        return [self._emit_output(value) for value in _user_ends(self._program)[1]]

    def _emit_output(self, value: Any) -> int:
        if not isinstance(value, Node):
            return self._values.add_constant(value)
        index = self._graph.indices[value]
        assert isinstance(index, int), f"output {value} is a list"
        return index


def _user_ends(program: ExportedProgram) -> tuple[list[Node], list[Any]]:
    """Return the nodes of a method's inputs and the nodes or constants of its outputs."""
    signature = program.graph_signature
    placeholders = program.graph.find_nodes(op="placeholder")
    inputs = [
        node
        for node, spec in zip(placeholders, signature.input_specs)
        if spec.kind is InputKind.USER_INPUT
    ]
    outputs = [
        value
        for value, spec in zip(program.graph.output_node().args[0], signature.output_specs)
        if spec.kind is OutputKind.USER_OUTPUT
    ]
    return inputs, outputs


def _needs_initial_state(node: Node, data: memoryview) -> bool:
    """Return whether a state needs data in the file. Otherwise it starts as zeros."""
    return "initial_state" in node.meta or bool(np.frombuffer(data, np.uint8).any())


def container_metadata(in_spec: pytree.TreeSpec, out_spec: pytree.TreeSpec) -> ContainerMetadata:
    """Return both specs in PyTorch's JSON format.

    Results of operators, such as `torch.return_types.topk`, are written as plain tuples, because
    only torch 2.15 has serialized names for them. So are named tuples without a serialized name.
    """
    return ContainerMetadata(_dump_tree_spec(in_spec), _dump_tree_spec(out_spec))


def _dump_tree_spec(spec: pytree.TreeSpec) -> str:
    spec = _with_plain_tuples(spec, lambda container: container in torch.return_types.all_return_types)
    try:
        return pytree.treespec_dumps(spec)
    except NotImplementedError:
        plain = _with_plain_tuples(spec, lambda container: container not in (tuple, list, dict))
        return pytree.treespec_dumps(plain)


def _with_plain_tuples(spec: pytree.TreeSpec, replaces: Callable[[Any], bool]) -> pytree.TreeSpec:
    """Replace the containers whose type `replaces` accepts by plain tuples."""
    if spec.is_leaf():
        return spec
    children = [_with_plain_tuples(child, replaces) for child in spec.children()]
    if replaces(spec.type):
        return pytree.treespec_tuple(children)
    return pytree.TreeSpec(spec.type, spec.context, children)
