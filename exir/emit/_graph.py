"""Emit the nodes of a planned graph as instructions."""

import operator

from torch.fx import GraphModule, Node

from exir import memory, schema
from exir.delegate import is_delegate_call, lowered_module_of
from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import bind_arguments, returns_tensors
from exir.emit._arguments import ABSENT, ArgumentEmitter
from exir.emit._control_flow import ControlFlowEmitter
from exir.emit._instructions import Instructions
from exir.emit._prim_ops import prim_operator
from exir.emit._shared import SharedData
from exir.emit._values import Indices, Values
from exir.graph.control_flow import regions
from exir.tensor import specs_of


class GraphEmitter:
    """Walks a graph once and adds its values and instructions.

    `indices` holds the values of all nodes visited so far. The caller adds the values of the
    graph's placeholders first.
    """

    def __init__(self, values: Values, instructions: Instructions, shared: SharedData) -> None:
        self.indices: dict[Node, Indices] = {}
        self._values = values
        self._instructions = instructions
        self._shared = shared
        self._arguments = ArgumentEmitter(values, self.indices)
        self._control_flow = ControlFlowEmitter(values, instructions, self.indices, self.emit)

    def emit(self, graph_module: GraphModule) -> None:
        """Add the instructions of `graph_module`.

        Raises an `ExirError` that names the invalid node.
        """
        for node in graph_module.graph.nodes:
            if node.op == "call_function":
                self._emit_call(node)

    def _emit_call(self, node: Node) -> None:
        if node.target is operator.getitem:
            self.indices[node] = self._emit_item(node)
        elif node.target is memory.alloc:
            self.indices[node] = self._values.tensors(node.meta["spec"])
        elif node.target is memory.view:
            self._emit_view(node)
        elif is_delegate_call(node):
            self._emit_delegate(node)
        elif regions(node):
            self._control_flow.emit(node)
        elif to_torch_overload(node.target) is not None:
            self._emit_kernel(node)
        else:
            self._emit_prim(node)

    def _emit_item(self, node: Node) -> int:
        container, index = node.args
        assert isinstance(container, Node) and isinstance(index, int)
        indices = self.indices[container]
        assert isinstance(indices, list)
        return indices[index]

    def _emit_view(self, node: Node) -> None:
        """Emit a view: a value and, unless its size is static, an instruction."""
        spec = node.meta["spec"]
        index = self._values.tensor(spec)
        self.indices[node] = index
        if spec.is_static:
            return
        base, size = node.args
        assert isinstance(base, Node)
        args = [self._values.tensor(base.meta["spec"]), self._arguments.numbers(size, node), index]
        self._instructions.call(node, schema.Operator("executorch_prim::et_view", "default"), args)

    def _emit_prim(self, node: Node) -> None:
        name = prim_operator(node)
        args = [self._arguments.number(arg, node) for arg in node.args]
        result = self._values.add_number(node.meta["val"], node)
        self.indices[node] = result
        self._instructions.call(node, name, [*args, result])

    def _emit_kernel(self, node: Node) -> None:
        op = to_torch_overload(node.target)
        assert op is not None
        arguments = bind_arguments(op, node.args, node.kwargs)
        args: list[int] = []
        written: list[Indices] = []
        for argument in op._schema.arguments:
            value = arguments.get(argument.name, argument.default_value)
            args.append(self._arguments.emit(value, argument, node))
            if argument.alias_info and argument.alias_info.is_write:
                written.append(ABSENT if value is None else self.indices[value])
        name = schema.Operator(op._schema.name, op._schema.overload_name)
        if returns_tensors(op):
            args.append(self._record_outputs(node, written))
        else:
            result = self._values.add_number(node.meta["val"], node)
            self.indices[node] = result
            args.append(result)
        self._instructions.call(node, name, args)

    def _record_outputs(self, node: Node, written: list[Indices]) -> int:
        """Return the value of the call's result: its one output, or a list of them."""
        outputs = (
            written[0] if len(written) == 1 else [index for index in written if isinstance(index, int)]
        )
        self.indices[node] = outputs
        if isinstance(outputs, int):
            return outputs
        kind = schema.OptionalTensorList if ABSENT in outputs else schema.TensorList
        return self._values.add(kind(list(outputs)))

    def _emit_delegate(self, node: Node) -> None:
        lowered = lowered_module_of(node)
        options = [
            schema.CompileSpec(compile_spec.key, compile_spec.value)
            for compile_spec in lowered.compile_specs
        ]
        data_index = self._shared.add_delegate(lowered.processed_bytes)
        place = schema.BackendDelegateDataReference(schema.DataLocation.INLINE, data_index)
        delegate = schema.BackendDelegate(lowered.backend_id, place, options)
        arguments = [self._arguments.number(arg, node) for arg in node.args[1:]]
        specs = specs_of(node)
        outputs = [self._values.tensor(spec) for spec in specs[: len(specs) - lowered.state_count]]
        updated = arguments[len(arguments) - lowered.state_count :]
        self.indices[node] = outputs[0] if lowered.returns_one else outputs + updated
        self._instructions.call_delegate(node, delegate, arguments + outputs)
