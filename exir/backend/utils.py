"""Helpers for authors of partitioners and backends."""

from torch.fx import Graph, GraphModule, Node

from exir.backend.delegate_mapping import DelegateMappingBuilder
from exir.backend.tags import tag_constant_data, tag_mutated_buffer
from exir.delegate import LOWERED_MODULE_PREFIX, delegate_calls, is_delegate_call, lowered_module_of

__all__ = [
    "DelegateMappingBuilder",
    "format_delegated_graph",
    "get_delegates",
    "get_non_lowered_nodes",
    "print_delegated_graph",
    "tag_constant_data",
    "tag_mutated_buffer",
]


def get_delegates(graph: Graph) -> list[Node]:
    """Return the `get_attr` nodes of lowered modules, in order."""
    holders = graph.find_nodes(op="get_attr")
    return [node for node in holders if node.target.startswith(LOWERED_MODULE_PREFIX)]


def get_non_lowered_nodes(graph: Graph) -> list[Node]:
    """Return the nodes that kernels run: calls other than those of delegates.

    The `getitem` nodes of delegate calls are also excluded.
    """
    calls = [node for node in graph.nodes if node.op == "call_function"]
    return [node for node in calls if not is_delegate_call(node) and not _unpacks_delegate(node)]


def format_delegated_graph(graph_module: GraphModule) -> str:
    """Return the graph as text, followed by the graph of every delegate."""
    parts = [str(graph_module.graph)]
    for call in delegate_calls(graph_module.graph):
        lowered = lowered_module_of(call)
        parts.append(f"{call.args[0].target} (backend {lowered.backend_id}):")
        parts.append(str(lowered.original_module.graph))
    return "\n\n".join(parts)


def print_delegated_graph(graph_module: GraphModule) -> None:
    """Print `format_delegated_graph`."""
    print(format_delegated_graph(graph_module))


def _unpacks_delegate(node: Node) -> bool:
    return any(is_delegate_call(source) for source in node.all_input_nodes)
