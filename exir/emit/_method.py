"""One method's graph as an execution plan."""

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    OutputKind,
)
from torch.fx import GraphModule, Node

from exir import memory, schema
from exir.control_flow import branches_of, is_cond
from exir.delegate import is_delegate_call, lowered_module_of
from exir.dialects.edge._ops import to_torch_overload
from exir.emit._arguments import ArgumentEmitter, Indices
from exir.emit._constants import ConstantPool, bytes_of
from exir.emit._containers import container_metadata
from exir.emit._prim_ops import prim_operator
from exir.emit._values import Values, tensor_value
from exir.error import ExportError, ExportErrorType, InternalError
from exir.out_variant import bind_arguments, returns_tensors
from exir.source import frames_of
from exir.tensor import TensorSpec


@dataclass
class SharedData:
    """Bytes that the methods of one program share."""

    constants: ConstantPool = field(default_factory=ConstantPool)
    states: ConstantPool = field(default_factory=ConstantPool)
    delegates: list[schema.BackendDelegateInlineData] = field(default_factory=list)

    def add_delegate(self, data: bytes) -> int:
        """The index of a delegate's bytes."""
        self.delegates.append(schema.BackendDelegateInlineData(data))
        return len(self.delegates) - 1


@dataclass(frozen=True)
class EmitOptions:
    """stacktrace: write source lines; state_names: write names of mutable buffers."""

    stacktrace: bool = False
    state_names: bool = False


@dataclass(frozen=True)
class MethodOutput:
    """A plan, and the node behind each of its instructions and tensor values."""

    plan: schema.ExecutionPlan
    nodes: list[Node]
    specs: dict[int, TensorSpec]


class MethodEmitter:
    """Walks a planned graph once, adding values and instructions as it goes."""

    def __init__(
        self, name: str, program: ExportedProgram, shared: SharedData, options: EmitOptions
    ) -> None:
        self._name = name
        self._program = program
        self._shared = shared
        self._options = options
        self._values = Values()
        self._indices: dict[Node, Indices] = {}
        self._of_spec: dict[TensorSpec, int] = {}
        self._arguments = ArgumentEmitter(self._values, self._indices)
        self._instructions: list[schema.Instruction] = []
        self._nodes: list[Node] = []
        self._operators: dict[str, int] = {}
        self._operator_table: list[schema.Operator] = []
        self._delegates: list[schema.BackendDelegate] = []

    def emit(self) -> MethodOutput:
        """The method's plan. Raises an `ExirError` naming the node that cannot be emitted."""
        inputs = self._emit_placeholders()
        self._emit_graph(self._program.graph_module)
        outputs = self._emit_outputs()
        plan = schema.ExecutionPlan(
            name=self._name,
            container_meta_type=self._containers(),
            values=self._values.values,
            inputs=inputs,
            outputs=outputs,
            chains=[self._chain()],
            operators=self._operator_table,
            delegates=self._delegates,
            non_const_buffer_sizes=list(self._program.graph_module.meta["non_const_buffer_sizes"]),
        )
        return MethodOutput(plan, self._nodes, self._values.specs)

    def _containers(self) -> schema.ContainerMetadata:
        call = self._program.call_spec
        return container_metadata(call.in_spec, call.out_spec)

    def _chain(self) -> schema.Chain:
        frames = [_frames(node) for node in self._nodes] if self._options.stacktrace else None
        return schema.Chain(instructions=self._instructions, stacktrace=frames)

    # Inputs and constants

    def _emit_placeholders(self) -> list[int]:
        placeholders = self._program.graph.find_nodes(op="placeholder")
        inputs = []
        for node, spec in zip(placeholders, self._program.graph_signature.input_specs):
            if spec.kind is InputKind.USER_INPUT:
                inputs.append(self._emit_input(node, spec))
            elif node.users:
                self._emit_stored(node, spec)
        return inputs

    def _emit_input(self, node: Node, spec: InputSpec) -> int:
        if isinstance(spec.arg, ConstantArgument):
            index = self._values.add_constant(spec.arg.value, node)
        elif isinstance(node.meta["spec"], TensorSpec):
            index = self._tensor(node.meta["spec"])
        else:
            index = self._number_for(node.meta["val"], node)
        self._indices[node] = index
        return index

    def _emit_stored(self, node: Node, spec: InputSpec) -> None:
        tensor = _stored_tensor(self._program, node, spec)
        tensor_spec: TensorSpec = node.meta["spec"]
        data = bytes_of(tensor, tensor_spec)
        name = None
        if not tensor_spec.state:
            buffer_index = self._shared.constants.add(data)
        else:
            wants_state = "initial_state" in node.meta or np.frombuffer(data, np.uint8).any()
            buffer_index = self._shared.states.add(data) if wants_state else 0
            name = spec.target if self._options.state_names else None
        index = self._values.add_tensor(tensor_spec, tensor_value(tensor_spec, buffer_index, name))
        self._of_spec[tensor_spec] = index
        self._indices[node] = index

    # Values

    def _tensor(self, spec: TensorSpec) -> int:
        """The index of the one value for `spec`."""
        if spec not in self._of_spec:
            data = self._data_index(spec) if spec.const else 0
            self._of_spec[spec] = self._values.add_tensor(spec, tensor_value(spec, data))
        return self._of_spec[spec]

    def _data_index(self, view: TensorSpec) -> int:
        """The buffer of the constant that `view` is a view of."""
        value = self._values.values[self._of_spec[view.storage]].val
        assert isinstance(value, schema.Tensor)
        return value.data_buffer_idx

    def _for_spec(self, spec: Any) -> Indices:
        if isinstance(spec, TensorSpec):
            return self._tensor(spec)
        return [self._tensor(item) for item in spec]

    def _number_for(self, val: Any, node: Node) -> int:
        """A new value for a number that is known when the method runs."""
        kinds = {
            torch.SymInt: 0,
            int: 0,
            torch.SymFloat: 0.0,
            float: 0.0,
            torch.SymBool: False,
            bool: False,
        }
        if type(val) not in kinds:
            raise ExportError(
                ExportErrorType.NOT_SUPPORTED, f"a value of type {type(val).__name__}", node
            )
        return self._values.add_constant(kinds[type(val)])

    # Instructions

    def _emit_graph(self, graph_module: GraphModule) -> None:
        for node in graph_module.graph.nodes:
            if node.op == "call_function":
                self._emit_call(node)

    def _emit_call(self, node: Node) -> None:
        if node.target is operator.getitem:
            self._indices[node] = self._item(node)
        elif node.target is memory.alloc:
            self._indices[node] = self._for_spec(node.meta["spec"])
        elif node.target is memory.view:
            self._emit_view(node)
        elif is_delegate_call(node):
            self._emit_delegate(node)
        elif is_cond(node):
            self._emit_cond(node)
        elif to_torch_overload(node.target) is not None:
            self._emit_kernel(node)
        else:
            self._emit_prim(node)

    def _item(self, node: Node) -> int:
        container, index = node.args
        assert isinstance(container, Node) and isinstance(index, int)
        indices = self._indices[container]
        assert isinstance(indices, list)
        return indices[index]

    def _add(self, node: Node, instruction: schema.InstructionArguments) -> int:
        self._instructions.append(schema.Instruction(instruction))
        self._nodes.append(node)
        return len(self._instructions) - 1

    def _call(self, node: Node, name: schema.Operator, args: list[int]) -> None:
        index = self._operators.setdefault(name.full_name, len(self._operator_table))
        if index == len(self._operator_table):
            self._operator_table.append(name)
        self._add(node, schema.KernelCall(index, args))

    def _emit_view(self, node: Node) -> None:
        spec = node.meta["spec"]
        index = self._tensor(spec)
        self._indices[node] = index
        if spec.is_static:
            return
        base, size = node.args
        assert isinstance(base, Node) and isinstance(size, (list, tuple))
        sizes = self._values.add_int_list([self._arguments.number(item, node) for item in size])
        name = schema.Operator("executorch_prim::et_view", "default")
        self._call(node, name, [self._tensor(base.meta["spec"]), sizes, index])

    def _emit_prim(self, node: Node) -> None:
        name = prim_operator(node)
        args = [self._arguments.number(arg, node) for arg in node.args]
        result = self._number_for(node.meta["val"], node)
        self._indices[node] = result
        self._call(node, name, [*args, result])

    def _emit_kernel(self, node: Node) -> None:
        op = to_torch_overload(node.target)
        assert op is not None
        given = bind_arguments(op, node.args, node.kwargs)
        args, written = [], []
        for argument in op._schema.arguments:
            value = given.get(argument.name, argument.default_value)
            args.append(self._arguments.emit(value, argument, node))
            if argument.alias_info and argument.alias_info.is_write:
                written.append(value)
        results = self._results(node, [self._indices[each] for each in written])
        name = schema.Operator(op._schema.name, op._schema.overload_name)
        self._call(node, name, args + results)

    def _results(self, node: Node, written: list[Indices]) -> list[int]:
        """Values behind the arguments: what was written once more, or a new number."""
        op = to_torch_overload(node.target)
        assert op is not None
        if not returns_tensors(op):
            self._indices[node] = self._number_for(node.meta["val"], node)
            return [self._indices[node]]
        if len(written) == 1:
            self._indices[node] = written[0]
            single = written[0]
            return [self._values.add(schema.TensorList(single)) if isinstance(single, list) else single]
        outputs = [each for each in written if isinstance(each, int)]
        self._indices[node] = outputs
        return [self._values.add(schema.TensorList(list(outputs)))]

    def _emit_delegate(self, node: Node) -> None:
        lowered = lowered_module_of(node)
        specs = [schema.CompileSpec(each.key, each.value) for each in lowered.compile_specs]
        place = schema.BackendDelegateDataReference(
            schema.DataLocation.INLINE, self._shared.add_delegate(lowered.processed_bytes)
        )
        self._delegates.append(schema.BackendDelegate(lowered.backend_id, place, specs))
        inputs = [self._arguments.number(arg, node) for arg in node.args[1:]]
        outputs = self._for_spec(node.meta["spec"])
        assert isinstance(outputs, list)
        self._indices[node] = outputs
        self._add(node, schema.DelegateCall(len(self._delegates) - 1, inputs + outputs))

    # Control flow

    def _emit_cond(self, node: Node) -> None:
        """Jump to the false branch unless the predicate holds; the true one jumps over it."""
        predicate, _, _, operands = node.args
        on_true, on_false = branches_of(node)
        results = self._for_spec(node.meta["spec"])
        condition = self._arguments.number(predicate, node)
        to_false = schema.JumpFalseCall(condition)
        self._add(node, to_false)
        self._emit_branch(node, on_true, operands)
        to_end = schema.JumpFalseCall(self._values.add_constant(False))
        self._add(node, to_end)
        to_false.destination_instruction = len(self._instructions)
        self._emit_branch(node, on_false, operands)
        to_end.destination_instruction = len(self._instructions)
        self._indices[node] = results

    def _emit_branch(self, node: Node, branch: GraphModule, operands: Any) -> None:
        """A branch writes its results where the `cond`'s results lie, so none is moved."""
        for placeholder, operand in zip(branch.graph.find_nodes(op="placeholder"), operands):
            self._indices[placeholder] = self._arguments.number(operand, node)
        self._emit_graph(branch)

    # Outputs

    def _emit_outputs(self) -> list[int]:
        values = self._program.graph.output_node().args[0]
        return [
            self._output(value)
            for value, spec in zip(values, self._program.graph_signature.output_specs)
            if spec.kind is OutputKind.USER_OUTPUT
        ]

    def _output(self, value: Any) -> int:
        if not isinstance(value, Node):
            return self._values.add_constant(value)
        index = self._indices[value]
        if isinstance(index, list):
            raise InternalError("an output is a list of tensors", value)
        return index


def _stored_tensor(program: ExportedProgram, node: Node, spec: InputSpec) -> torch.Tensor:
    """The tensor of a parameter, buffer or lifted constant."""
    tensor = program.state_dict.get(spec.target, program.constants.get(spec.target))
    if not isinstance(tensor, torch.Tensor):
        raise ExportError(
            ExportErrorType.NOT_SUPPORTED, f"input '{node.name}' of kind {spec.kind.name}", node
        )
    return tensor


def _frames(node: Node) -> schema.FrameList:
    return schema.FrameList(
        [schema.Frame(f.file, f.line, f.function, f.code) for f in frames_of(node)]
    )
