"""`ExportPass`: a pass that interprets a graph, operator by operator.

The interpreter runs the graph on fake tensors, and builds the new graph from the results of its
methods. A subclass overrides the methods for the nodes that it changes:

    class ReluToSigmoid(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            if op == exir_ops.edge.aten.relu.default:
                op = exir_ops.edge.aten.sigmoid.default
            return super().call_operator(op, args, kwargs, meta)
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._ops import HigherOrderOperator, OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.utils._pytree import tree_leaves, tree_map

from exir.delegate import executorch_call_delegate
from exir.dialects.edge import EdgeOpOverload
from exir.graph.fake_mode import fake_mode_of
from exir.graph.graph_builder import values

__all__ = [
    "Argument",
    "ExportPass",
    "ExportPassBaseError",
    "ExportedProgramPassBase",
    "ExportedProgramPassResult",
    "NodeMetadata",
    "PassResult",
    "ProxyValue",
]

Argument = Any


class ExportPassBaseError(RuntimeError):
    """A pass used a traced value as a number, or lost the metadata of inputs."""


class NodeMetadata:
    """The metadata of a node: source line, debug handle and others.

    source: the node of the original graph that is interpreted, if any.
    """

    def __init__(self, data: dict[str, Any], source: Node | None = None) -> None:
        self.data = dict(data)
        self.source = source

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.data[key] = value

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def copy(self) -> "NodeMetadata":
        """Return a copy that can be changed independently."""
        return NodeMetadata(self.data, self.source)


class ProxyValue:
    """A value of the interpretation, and its node in the new graph.

    data: a fake tensor, a number, or several of them.
    """

    def __init__(self, data: Any, node: Node) -> None:
        self.data = data
        self.node = node

    def is_tensor(self) -> bool:
        """Return whether the value is one tensor."""
        return isinstance(self.data, Tensor)

    def to_tensor(self) -> Tensor:
        """Return the value as a tensor. Raises `TypeError` for other values."""
        if not self.is_tensor():
            kind = type(self.data).__name__
            raise TypeError(f"the value of '{self.node.name}' is a {kind}, not a tensor; use its `data`")
        return self.data

    def __iter__(self) -> Iterator["ProxyValue"]:
        for index, item in enumerate(self.data):
            with self.node.graph.inserting_after(self.node):
                node = self.node.graph.call_function(operator.getitem, (self.node, index))
            node.meta = {**self.node.meta, "val": item}
            yield ProxyValue(item, node)

    def __bool__(self) -> bool:
        return bool(self._require_number("used in a boolean context"))

    def __int__(self) -> int:
        return int(self._require_number("converted to int"))

    def __index__(self) -> int:
        return operator.index(self._require_number("used in index context"))

    def __float__(self) -> float:
        return float(self._require_number("converted to float"))

    def _require_number(self, use: str) -> Any:
        """Return the value. Raises `ExportPassBaseError` if it is symbolic.

        use: the operation that would specialize the value, for the message.
        """
        if isinstance(self.data, (SymBool, SymInt, SymFloat)):
            raise ExportPassBaseError(
                f"the symbolic value {self.data} of '{self.node.name}' cannot be {use}, because it is "
                "known only at run time; compute with the proxy"
            )
        return self.data


@dataclass(frozen=True)
class ExportedProgramPassResult:
    """The result of a pass over a program, and whether the pass changed it."""

    exported_program: ExportedProgram
    modified: bool


class ExportedProgramPassBase(ABC):
    """Base class of passes over a whole program: graph, constants and signature."""

    def __call__(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        """Check what the pass requires, run it, and check what it ensures."""
        self.requires(exported_program)
        result = self.call(exported_program)
        self.ensures(result.exported_program)
        return result

    @abstractmethod
    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        """Return the transformed program: a new one, or `exported_program` itself."""

    def requires(self, exported_program: ExportedProgram) -> None:
        """Raise an error if the pass cannot run on `exported_program`."""

    def ensures(self, exported_program: ExportedProgram) -> None:
        """Raise an error if `exported_program` violates the contract of the pass."""


class ExportPass(PassBase):
    """Base class of passes that interpret a graph; by default, it copies the graph.

    Values in arguments are `ProxyValue`s. Tensors that an override creates become constants. Every
    `call_…` method appends a node to the new graph, and returns its `ProxyValue`.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        """Interpret a graph module, which stays unchanged, and return the new one."""
        self._fake_mode: FakeTensorMode = fake_mode_of(graph_module.graph)
        result = self.call_submodule(graph_module, self.inputs(graph_module))
        if self.should_preserve_symbolic_input_metadata():
            _check_symbolic_inputs(graph_module, result.graph_module)
        return result

    def should_preserve_symbolic_input_metadata(self) -> bool:
        """Return whether inputs keep their symbolic sizes."""
        return True

    def inputs(self, graph_module: GraphModule) -> list[Argument]:
        """Return the values of the placeholders, which the interpretation starts with."""
        return [node.meta.get("val") for node in graph_module.graph.find_nodes(op="placeholder")]

    def call_submodule(self, graph_module: GraphModule, inputs: list[Argument]) -> PassResult:
        """Interpret a graph module, or a branch of control flow, on `inputs`."""
        outer: Any = getattr(self, "_frame", None)
        self._frame = _InterpreterFrame(graph_module)
        try:
            for node in graph_module.graph.nodes:
                self._interpret_node(node, inputs)
            result = GraphModule(self._frame.attributes, self._frame.graph)
            result.meta.update(graph_module.meta)
            return PassResult(result, True)
        finally:
            self._frame = outer

    def call_operator(
        self, op: Any, args: tuple[Argument, ...], kwargs: dict[str, Argument], meta: NodeMetadata
    ) -> ProxyValue:
        """Append a call of the operator `op`."""
        return self._append_call(op, args, kwargs, meta)

    def call_sym(self, target: Any, args: tuple[Argument, ...], meta: NodeMetadata) -> ProxyValue:
        """Append arithmetic on symbolic values."""
        return self._append_call(target, args, {}, meta)

    def call_getitem(self, value: ProxyValue, key: int, meta: NodeMetadata) -> ProxyValue:
        """Append the selection of one of several values."""
        return self._append_call(operator.getitem, (value, key), {}, meta)

    def call_delegate(
        self,
        lowered_module: Any,
        args: tuple[ProxyValue, ...],
        kwargs: dict[str, Argument],
        meta: NodeMetadata,
    ) -> ProxyValue:
        """Append a call of a delegate."""
        return self._append_known(executorch_call_delegate, (lowered_module, *args), kwargs, meta)

    def call_higher_order(
        self, op: HigherOrderOperator, args: tuple[Argument, ...], meta: NodeMetadata
    ) -> ProxyValue:
        """Append control flow; its branches have been interpreted already."""
        return self._append_known(op, args, {}, meta)

    def placeholder(self, name: str, arg: Argument, meta: NodeMetadata) -> ProxyValue:
        """Append an input."""
        node = self._frame.graph.placeholder(name)
        node.meta = {**meta.data, "val": arg}
        return ProxyValue(arg, node)

    def output(self, results: list[Argument], meta: NodeMetadata) -> None:
        """Append the output."""
        node = self._frame.graph.output(self._to_nodes(results))
        node.meta = dict(meta.data)

    def _interpret_node(self, node: Node, inputs: list[Argument]) -> None:
        env, meta = self._frame.env, NodeMetadata(node.meta, node)
        if node.op == "placeholder":
            env[node] = self.placeholder(node.target, inputs[self._frame.next_input()], meta)
        elif node.op == "get_attr":
            env[node] = self._interpret_attribute(node)
        elif node.op == "output":
            self.output(map_arg(node.args[0], env.__getitem__), meta)
        else:
            env[node] = self._interpret_call(node, meta)

    def _interpret_call(self, node: Node, meta: NodeMetadata) -> ProxyValue:
        args, kwargs = map_arg((node.args, node.kwargs), self._frame.env.__getitem__)
        if node.target is operator.getitem:
            return self.call_getitem(args[0], args[1], meta)
        if node.target is executorch_call_delegate:
            return self.call_delegate(args[0], args[1:], kwargs, meta)
        if isinstance(node.target, HigherOrderOperator):
            return self.call_higher_order(node.target, self._interpreted_branches(node, args), meta)
        if isinstance(node.target, (EdgeOpOverload, OpOverload)):
            return self.call_operator(node.target, args, kwargs, meta)
        return self.call_sym(node.target, args, meta)

    def _interpret_attribute(self, node: Node) -> Any:
        value = getattr(self._frame.source, node.target)
        if isinstance(value, torch.nn.Module):
            self._frame.names[id(value)] = node.target
            return value
        return self._insert_constant(value)

    def _interpreted_branches(self, node: Node, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            self.call_submodule(arg, self.inputs(arg)).graph_module
            if isinstance(arg, GraphModule)
            else arg
            for arg in args
        )

    def _append_call(
        self, target: Any, args: Any, kwargs: dict[str, Any], meta: NodeMetadata
    ) -> ProxyValue:
        data_args, data_kwargs = tree_map(self._to_data, (args, kwargs), is_leaf=_is_proxy)
        if _same_call(meta.source, target, data_args, data_kwargs):
            return self._append_known(target, args, kwargs, meta)
        with torch.no_grad(), enable_python_dispatcher(), self._fake_mode:
            val = target(*data_args, **data_kwargs)
        return self._add_node(target, args, kwargs, meta, val)

    def _append_known(
        self, target: Any, args: Any, kwargs: dict[str, Any], meta: NodeMetadata
    ) -> ProxyValue:
        """Append a call whose value is known from the interpreted node."""
        return self._add_node(target, args, kwargs, meta, meta.data.get("val"))

    def _add_node(
        self, target: Any, args: Any, kwargs: dict[str, Any], meta: NodeMetadata, val: Any
    ) -> ProxyValue:
        nodes, options = self._to_nodes((tuple(args), kwargs))
        node = self._frame.graph.call_function(target, nodes, options)
        node.meta = {**meta.data, "val": val}
        return ProxyValue(val, node)

    def _to_nodes(self, arguments: Any) -> Any:
        return tree_map(self._to_node, arguments, is_leaf=_is_proxy)

    def _to_node(self, value: Any) -> Any:
        if isinstance(value, ProxyValue):
            return value.node
        if isinstance(value, torch.nn.Module):
            return self._frame.attribute_node(value, "_module")
        if isinstance(value, Tensor) and not isinstance(value, FakeTensor):
            return self._insert_constant(value).node
        return value

    def _to_data(self, value: Any) -> Any:
        if isinstance(value, Tensor) and not isinstance(value, FakeTensor):
            return self._fake_mode.from_tensor(value, static_shapes=True)
        return value.data if isinstance(value, ProxyValue) else value

    def _insert_constant(self, tensor: Tensor) -> ProxyValue:
        node = self._frame.attribute_node(tensor, "_tensor_constant")
        node.meta["val"] = self._fake_mode.from_tensor(tensor, static_shapes=True)
        return ProxyValue(node.meta["val"], node)


class _InterpreterFrame:
    """The state of interpreting one graph module."""

    def __init__(self, source: GraphModule) -> None:
        self.source = source
        self.graph = Graph()
        self.env: dict[Node, Any] = {}
        self.attributes: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        self._inputs_seen = 0

    def next_input(self) -> int:
        """Return the index of the next placeholder."""
        self._inputs_seen += 1
        return self._inputs_seen - 1

    def attribute_node(self, value: Any, prefix: str) -> Node:
        """Return a `get_attr` node for `value`, under its old name if it has one."""
        name = self.names.get(id(value), f"{prefix}{len(self.attributes)}")
        self.attributes[name] = value
        return self.graph.get_attr(name)


def _check_symbolic_inputs(before: GraphModule, after: GraphModule) -> None:
    """Raise `ExportPassBaseError` if an input has lost a symbolic size."""
    inputs = (graph_module.graph.find_nodes(op="placeholder") for graph_module in (before, after))
    for position, (old, new) in enumerate(zip(*inputs)):
        if _symbols_in(old.meta.get("val")) != _symbols_in(new.meta.get("val")):
            raise ExportPassBaseError(
                f"Input at position {position} did not preserve symbolic metadata: the pass changed"
                f" '{new.name}' from {old.meta.get('val')} to {new.meta.get('val')}; keep its shape"
            )


def _symbols_in(value: Any) -> list[str | None]:
    sizes = value.shape if isinstance(value, Tensor) else [value]
    return [str(size) if isinstance(size, (SymInt, SymFloat, SymBool)) else None for size in sizes]


def _is_proxy(value: Any) -> bool:
    return isinstance(value, ProxyValue)


def _same_call(source: Node | None, target: Any, args: Any, kwargs: dict[str, Any]) -> bool:
    """Return whether a call equals that of `source`, so that its value is known."""
    if source is None or source.target is not target:
        return False
    before = tree_leaves(values((source.args, source.kwargs)))
    now = tree_leaves((args, kwargs))
    return len(before) == len(now) and all(map(_same_argument, before, now))


def _same_argument(a: Any, b: Any) -> bool:
    by_identity = isinstance(a, (Tensor, SymInt, SymFloat, SymBool))
    return a is b or (type(a) is type(b) and not by_identity and a == b)
