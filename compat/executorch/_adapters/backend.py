"""Utilities for delegates: inspect lowered graphs and extract submodules."""

import logging
import operator
from collections.abc import Sequence

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.utils.fuser_utils import erase_nodes, fuse_as_graphmodule, insert_subgm, legalize_graph, topo_sort

from exir.delegate import delegate_calls, lowered_module_of
from exir.lowered_backend_module import LoweredBackendModule


def is_identical_graph(graph_left: GraphModule, graph_right: GraphModule) -> bool:
    """Return true if both graphs have the same calls on the same operands, in order."""
    left, right = list(graph_left.graph.nodes), list(graph_right.graph.nodes)
    if len(left) != len(right):
        return False
    place = {**{node: i for i, node in enumerate(left)}, **{node: i for i, node in enumerate(right)}}
    return all(_same_node(a, b, place) for a, b in zip(left, right))


def _same_node(a: Node, b: Node, place: dict[Node, int]) -> bool:
    operands = [[place[input_node] for input_node in node.all_input_nodes] for node in (a, b)]
    is_call = a.op == "call_function"
    return a.op == b.op and (a.target == b.target or not is_call) and operands[0] == operands[1]


def is_shape_dynamic(node: Node) -> bool:
    """Return true if the node's value has a symbolic size."""
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and any(isinstance(size, torch.SymInt) for size in value.shape)


def is_lowered_module(value: object) -> bool:
    """Return true for a lowered backend module."""
    return isinstance(value, LoweredBackendModule)


def get_delegated_payload(graph_module: GraphModule) -> dict[str, bytes]:
    """Return the payload of each delegate by the name of its attribute."""
    return {
        str(call.args[0].target): lowered_module_of(call).processed_bytes for call in delegate_calls(graph_module.graph)
    }


def create_submodule_from_nodes(
    gm: GraphModule, node_list: Sequence[Node], tag: str, skip_legalize_graph: bool = False
) -> tuple[GraphModule, Node]:
    """Move nodes into a new graph module.

    Return the module and the node that calls it.
    """
    nodes = topo_sort(list(node_list))
    name = f"fused_{tag}"
    inner, inputs, outputs = fuse_as_graphmodule(gm, nodes, name)
    insert_subgm(gm, inner, inputs, outputs)
    erase_nodes(gm, nodes)
    if not skip_legalize_graph:
        legalize_graph(gm)
    call = next(node for node in gm.graph.nodes if node.op == "call_module" and node.target == name)
    if len(outputs) == 1 and not _returns_several(inner):
        _pop_node(gm, call)
    _return_list(inner)
    return inner, call


def _returns_several(inner: GraphModule) -> bool:
    """Return true if the only result of the graph is a list of tensors."""
    result = inner.graph.output_node().args[0]
    return isinstance(result, Node) and isinstance(result.meta.get("val"), (list, tuple))


def _return_list(inner: GraphModule) -> None:
    """Make a graph return a list of its results, even for a single result."""
    output = inner.graph.output_node()
    results = _insert_getitems(output) if _returns_several(inner) else output.args[0]
    output.args = (list(results) if isinstance(results, (list, tuple)) else [results],)
    inner.recompile()


def _insert_getitems(output: Node) -> list[Node]:
    """Add nodes that extract each tensor of the graph's only result."""
    result = output.args[0]
    found = []
    for index, value in enumerate(result.meta["val"]):
        with output.graph.inserting_before(output):
            item = output.graph.call_function(operator.getitem, (result, index))
        item.meta = {**result.meta, "val": value}
        found.append(item)
    return found


def _pop_node(outer: GraphModule, call: Node) -> None:
    """Replace uses of the call's result with the first item of its new list result."""
    with outer.graph.inserting_after(call):
        item = outer.graph.call_function(operator.getitem, (call, 0))
    item.meta = dict(call.meta)
    call.replace_all_uses_with(item, lambda user: user is not item)


class WhyNoPartition:
    """A logger of reasons for not delegating: `why(node=node, reason="…")`."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger(__name__)

    def __call__(self, node: Node, reason: str) -> None:
        self._logger.debug("%s is not delegated: %s", node.format_node(), reason)
