"""Graph modules inside graph modules."""

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from exir import print_program
from exir.delegate import delegate_calls, lowered_module_of
from exir.graph.control_flow import regions
from exir.lowered_backend_module import LoweredBackendModule


def get_submodule(graph_module: GraphModule, node: Node, arg_index: int) -> tuple[str, torch.nn.Module, Node]:
    """Return the name, graph module and `get_attr` node of a graph argument."""
    holder = node.args[arg_index]
    assert isinstance(holder, Node) and holder.op == "get_attr"
    name = str(holder.target)
    return name, getattr(graph_module, name), holder


def get_control_flow_submodules(graph_module: GraphModule) -> list[tuple[str, GraphModule, Node]]:
    """Return the name, graph module and node of each graph that control flow runs."""
    return [
        (str(region.holder.target), region.graph_module, node)
        for node in graph_module.graph.nodes
        for region in regions(node)
    ]


def bfs_trace_with_node_process(gm: GraphModule, node_op: Callable[[Node], Any]) -> None:
    """Call `node_op` for each node, outer graphs first."""
    queue = [gm]
    while queue:
        current = queue.pop(0)
        for node in current.graph.nodes:
            node_op(node)
        queue += [inner for _, inner, _ in get_control_flow_submodules(current)]


def get_lowered_submodules(graph_module: GraphModule) -> list[tuple[str, LoweredBackendModule, Node]]:
    """Return the name, lowered module and call node of each delegate call."""
    return [(str(call.args[0].target), lowered_module_of(call), call) for call in delegate_calls(graph_module.graph)]


def add_cursor_to_graph(graph: Graph, finding_node: Node) -> str:
    """Print `graph` to a string, with an arrow before a node."""
    lines = str(graph).splitlines()
    for position, node in enumerate(graph.nodes, start=1):
        if node is finding_node:
            lines[position] = f"--> {lines[position].strip()}"
    return "\n".join(lines)


def inspect_node(graph: Graph, node: Node) -> str:
    """Return `exir.print_program.inspect_node` and the source location of the node."""
    text = print_program.inspect_node(graph, node)
    trace = node.meta.get("stack_trace")
    return f"{text}\nTraceback (most recent call last):\n{trace}" if trace else text
