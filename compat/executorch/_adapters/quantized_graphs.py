"""Extract quantized subgraphs."""

from collections.abc import Iterable
from typing import Any

from torch.fx import GraphModule, Node

from executorch._adapters.backend import create_submodule_from_nodes
from exir.dialects.edge import to_torch_overload


def quantizes(node: Node) -> bool:
    """Return true if a node calls `quantize_per_tensor`."""
    return _is_call_of(node, "quantized_decomposed::quantize_per_tensor")


def dequantizes(node: Node) -> bool:
    """Return true if a node calls `dequantize_per_tensor`."""
    return _is_call_of(node, "quantized_decomposed::dequantize_per_tensor")


def _is_call_of(node: Node, name: str) -> bool:
    """Return true if a node calls the operator `name`.

    Names are compared, because the operators might not be registered yet.
    """
    op = to_torch_overload(node.target)
    return op is not None and op.name() == name


def remove_first_quant_and_last_dequant(graph_module: GraphModule) -> None:
    """Make the graph take quantized inputs and return its only result quantized."""
    graph = graph_module.graph
    for node in graph.nodes:
        if quantizes(node) and node.args[0].op == "placeholder":
            node.replace_all_uses_with(node.args[0])
        elif dequantizes(node) and [user.op for user in node.users] == ["output"]:
            graph.output_node().args = ([node.args[0]],)
    graph.eliminate_dead_code()
    graph_module.recompile()


def replace_quantized_partition_with_op(
    graph_module: GraphModule, partition: Any, replacement_op: Any
) -> tuple[Node, list[Node], list[Node]]:
    """Replace a partition of `get_source_partitions` with one call.

    The call also replaces the dequantize nodes of its inputs and the quantize nodes of its results. Returns
    the call and these nodes.
    """
    inside = [node for node in partition.nodes if node not in partition.params]
    before = _deduplicate(source for node in partition.nodes for source in node.all_input_nodes)
    after = _deduplicate(user for node in partition.nodes for user in node.users)
    dequantizing = [node for node in before if dequantizes(node)]
    quantizing = [node for node in after if quantizes(node)]
    if not dequantizing or not quantizing:
        raise ValueError("the partition is not between dequantize_per_tensor and quantize_per_tensor")
    nodes = [*dequantizing, *inside, *quantizing]
    _, call = create_submodule_from_nodes(graph_module, nodes, "to_be_replaced", skip_legalize_graph=True)
    with graph_module.graph.inserting_before(call):
        replaced = graph_module.graph.call_function(replacement_op, call.args, call.kwargs)
    replaced.meta = dict(call.meta)
    call.replace_all_uses_with(replaced)
    graph_module.graph.erase_node(call)
    if len(quantizing) == 1:
        _take_as_it_is(replaced)
    graph_module.recompile()
    return replaced, dequantizing, quantizing


def _take_as_it_is(call: Node) -> None:
    """Replace the only item of a list result with the call itself."""
    for item in list(call.users):
        call.meta["val"] = item.meta["val"]
        item.replace_all_uses_with(call)
        call.graph.erase_node(item)


def _deduplicate(nodes: Iterable[Node]) -> list[Node]:
    return list(dict.fromkeys(nodes))
