"""Replaces nodes that torch's serializer does not support.

The serializer supports edge operators through `EdgeHandler`. A delegate call carries its module as text,
and planned memory carries its specification. Debug handles are stored in the metadata entry "custom".
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._C import FunctionSchema
from torch._export.serde.serialize import ExtensionHandler, register_extension
from torch.fx import GraphModule, Node

from exir import memory
from exir.delegate import delegate_calls, lowered_module_of
from exir.dialects.edge import EdgeOpOverload, edge_op
from exir.graph.control_flow import graphs
from exir.serde.dtypes import dtype_number, torch_dtype

DEBUG_HANDLE = "debug_handle"
_ITEMS = "debug_handles_of_results"


class EdgeHandler(ExtensionHandler):
    """Serializes edge operators under torch's names."""

    @classmethod
    def namespace(cls) -> str:
        return "edge"

    @classmethod
    def to_op_name(cls, op: EdgeOpOverload) -> str:
        return op.__name__

    @classmethod
    def from_op_name(cls, name: str) -> EdgeOpOverload:
        return edge_op(torch_overload(name))

    @classmethod
    def op_schema(cls, op: EdgeOpOverload) -> FunctionSchema:
        return op._schema


def torch_overload(name: str) -> torch._ops.OpOverload:
    """Return the operator with a name such as `aten.add.Tensor`."""
    found: Any = torch.ops
    for part in name.split("."):
        found = getattr(found, part)
    assert isinstance(found, torch._ops.OpOverload)
    return found


@dataclass(frozen=True)
class MemoryCall:
    """Represents a function of `exir.memory`."""

    __name__: str

    def __call__(self, *args: Any) -> Any:
        raise AssertionError(
            f"{self.__name__} is a placeholder for memory in a file and cannot be called"
        )


ALLOC, VIEW = MemoryCall("alloc"), MemoryCall("view")
# A file stores a list of allocations as one tensor node, from which results are taken.
ALLOC_LIST, ITEM = MemoryCall("alloc_list"), MemoryCall("item")
_SCHEMAS = {
    ALLOC: "alloc(str alloc_arg) -> Tensor",
    ALLOC_LIST: "alloc_list(str[] alloc_list) -> Tensor",
    ITEM: "item(Tensor list, int index) -> Tensor",
    VIEW: "view(Tensor base, SymInt[] size) -> Tensor",
}


class MemoryHandler(ExtensionHandler):
    """Serializes memory functions as operators with schemas."""

    @classmethod
    def namespace(cls) -> str:
        return "memory"

    @classmethod
    def to_op_name(cls, op: MemoryCall) -> str:
        return op.__name__

    @classmethod
    def from_op_name(cls, name: str) -> MemoryCall:
        return MemoryCall(name)

    @classmethod
    def op_schema(cls, op: MemoryCall) -> FunctionSchema:
        return torch._C.parse_schema(_SCHEMAS[op])


register_extension(EdgeOpOverload, EdgeHandler)
register_extension(MemoryCall, MemoryHandler)


def insert_stand_ins(top: GraphModule, module_text: Callable[[Any], str]) -> None:
    """Replace nodes of `top`, a copy, and of its control flow.

    `module_text` serializes a lowered module.
    """
    for graph_module in graphs(top):
        for call in delegate_calls(graph_module.graph):
            call.args = (call.args[0].target, module_text(lowered_module_of(call)), *call.args[1:])
        for node in graph_module.graph.nodes:
            _put_in_memory(node)
            _carry_handles(node)
        graph_module.graph.eliminate_dead_code(is_impure_node=_is_impure)


def _is_impure(node: Node) -> bool:
    """Keep all nodes except `get_attr` nodes, whose users have been replaced."""
    return node.op != "get_attr"


def _put_in_memory(node: Node) -> None:
    if node.target is memory.view:
        node.target = VIEW
    elif node.target is memory.alloc:
        spec = node.args[0]
        if isinstance(spec, list):
            _put_in_list(node, spec)
        else:
            node.target, node.args = ALLOC, (_memory_text(spec),)


def _put_in_list(node: Node, specs: list[Any]) -> None:
    node.target, node.args = ALLOC_LIST, ([_memory_text(spec) for spec in specs],)
    node.meta["val"] = node.meta["val"][0]
    for written in list(node.users):
        for item in list(written.users):
            item.target, item.args = ITEM, (node, item.args[1])


def _memory_text(spec: Any) -> str:
    """Format sizes and dtype as `(2, 3);7`."""
    shape, dtype = spec
    return f"{tuple(shape)};{dtype_number(dtype)}"


def _carry_handles(node: Node) -> None:
    """Store the debug handles of results with their operator.

    In the file, results of an operator are not separate nodes.
    """
    items = {
        str(user.args[1]): user.meta.get(DEBUG_HANDLE)
        for user in node.users
        if user.target is operator.getitem
    }
    if node.meta.get(DEBUG_HANDLE) is not None:
        carried = {DEBUG_HANDLE: node.meta[DEBUG_HANDLE], **({_ITEMS: items} if items else {})}
        node.meta["custom"] = {**node.meta.get("custom", {}), **carried}


def remove_stand_ins(top: GraphModule, module_of: Callable[[str], torch.nn.Module]) -> None:
    """Restore the nodes that `insert_stand_ins` replaced.

    module_of: parses the text of a lowered module.
    """
    for graph_module in graphs(top):
        for call in delegate_calls(graph_module.graph):
            _attach_delegate(call, module_of(call.args[1]))
        for node in graph_module.graph.nodes:
            _take_out_memory(node)
            _give_handle(node)
        graph_module.recompile()


def _attach_delegate(call: Node, lowered: torch.nn.Module) -> None:
    graph = call.graph
    name, _, *operands = call.args
    assert isinstance(name, str) and graph.owning_module is not None
    graph.owning_module.register_module(name, lowered)
    with graph.inserting_before(call):
        call.args = (graph.get_attr(name), *operands)


def _take_out_memory(node: Node) -> None:
    if node.target == VIEW:
        node.target = memory.view
    elif node.target == ALLOC:
        node.target, node.args = memory.alloc, (_memory_of(node.args[0]),)
    elif node.target == ALLOC_LIST:
        _take_out_list(node)


def _take_out_list(node: Node) -> None:
    specs = [_memory_of(arg) for arg in node.args[0]]
    with node.meta["val"].fake_mode:
        node.meta["val"] = memory.alloc(specs)
    node.target, node.args = memory.alloc, (specs,)
    writer = next(user for user in node.users if user.target != ITEM)
    writer.meta["val"] = node.meta["val"]
    for item in list(node.users):
        if item is not writer:
            item.target, item.args = operator.getitem, (writer, item.args[1])


def _memory_of(text: Any) -> Any:
    shape, _, dtype = text.partition(";")
    return tuple(int(size) for size in shape.strip("()").split(",") if size), torch_dtype(int(dtype))


def _give_handle(node: Node) -> None:
    carried = dict(node.meta.pop("custom", {}))
    handle, items = carried.pop(DEBUG_HANDLE, None), carried.pop(_ITEMS, {})
    if node.target is operator.getitem:
        handle = items.get(str(node.args[1]), handle)
    # torch also adds an operator's metadata to the nodes that hold its graphs.
    if handle is not None and node.op == "call_function":
        node.meta[DEBUG_HANDLE] = handle
    if carried:
        node.meta["custom"] = carried
