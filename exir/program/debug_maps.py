"""Map a program's instructions to debug handles of the edge program."""

from collections.abc import Mapping
from typing import Any

from torch.fx import Node

from exir.delegate import is_delegate_call, lowered_module_of
from exir.emit import MethodOutput

Methods = Mapping[str, MethodOutput]


def debug_handles(methods: Methods) -> dict[str, dict[int, Any]]:
    """Return the debug handle of each instruction, by method and index.

    A delegate call has a list: the handles of all nodes that it replaces.
    """
    return {name: _debug_handles(method) for name, method in methods.items()}


def _debug_handles(method: MethodOutput) -> dict[int, Any]:
    handles = ((index, _debug_handle(node)) for index, node in enumerate(method.nodes))
    return {index: handle for index, handle in handles if handle is not None}


def _debug_handle(node: Node) -> Any:
    if not is_delegate_call(node):
        return node.meta.get("debug_handle")
    nodes = lowered_module_of(node).original_module.graph.nodes
    handles = (inner.meta.get("debug_handle") for inner in nodes if inner.op == "call_function")
    return [handle for handle in handles if handle is not None]


def delegates(methods: Methods) -> dict[str, dict[int, dict[str, Any]]]:
    """The backend and the debug handles of each delegate call, by method and index."""
    return {
        name: {i: _delegate_entry(node) for i, node in _delegate_calls(method)}
        for name, method in methods.items()
    }


def _delegate_calls(method: MethodOutput) -> list[tuple[int, Node]]:
    return [(index, node) for index, node in enumerate(method.nodes) if is_delegate_call(node)]


def _delegate_entry(node: Node) -> dict[str, Any]:
    lowered = lowered_module_of(node)
    return {"name": lowered.backend_id, "delegate_map": lowered.meta.get("debug_handle_map", {})}


def result_counts(methods: Methods) -> dict[str, dict[int, int]]:
    """The number of results of each delegate call, by method and index."""
    return {
        name: {i: _instruction_count(node) for i, node in _delegate_calls(method)}
        for name, method in methods.items()
    }


def _instruction_count(node: Node) -> int:
    value = node.meta["val"]
    return len(value) if isinstance(value, (list, tuple)) else 1
