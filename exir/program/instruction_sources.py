"""Map a program's instructions to the model's modules and source lines."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch.fx import Node

from exir.debug.source import module_of, source_of
from exir.delegate import is_delegate_call, lowered_module_of
from exir.emit import MethodOutput

FORMAT = 1


@dataclass(frozen=True)
class NodeSource:
    """The origin of a graph node.

    operator: the node's operator.
    module: the qualified name of the module that recorded the node, or "".
    source: "file:line" of the model, or "".
    """

    operator: str
    module: str
    source: str


def sources_content(methods: Mapping[str, MethodOutput]) -> dict[str, Any]:
    """Return the source nodes of each instruction, by method, as JSON data.

    A delegate call has one entry for each node that it replaces.
    """
    return {
        "format": FORMAT,
        "methods": {
            name: [[asdict(source) for source in _node_sources(node)] for node in method.nodes]
            for name, method in sorted(methods.items())
        },
    }


def _node_sources(node: Node) -> list[NodeSource]:
    if not is_delegate_call(node):
        return [_node_source(node)]
    nodes = lowered_module_of(node).original_module.graph.nodes
    return [_node_source(inner) for inner in nodes if inner.op == "call_function"]


def _node_source(node: Node) -> NodeSource:
    name = getattr(node.target, "name", None)
    operator = name() if callable(name) else getattr(node.target, "__name__", str(node.target))
    return NodeSource(operator, module_of(node), str(source_of(node) or ""))
