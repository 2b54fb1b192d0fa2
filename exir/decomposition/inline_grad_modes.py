"""Inlines `torch.no_grad()` regions, because programs do not record gradients."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from exir.graph.program_copy import copy_program
from exir.graph.program_update import with_names_of_graph

_WRAP = torch.ops.higher_order.wrap_with_set_grad_enabled


def inline_grad_modes(program: ExportedProgram) -> ExportedProgram:
    """Return `program`, or a copy with graphs of other gradient modes inlined.

    `torch.export` puts the body of `torch.no_grad()` into a separate graph.
    """
    if not _grad_mode_calls(program.graph_module):
        return program
    copied = copy_program(program)
    while wraps := _grad_mode_calls(copied.graph_module):
        for wrap in wraps:
            _inline_call(copied.graph_module, wrap)
    return with_names_of_graph(copied)


def _grad_mode_calls(graph_module: GraphModule) -> Sequence[Node]:
    return graph_module.graph.find_nodes(op="call_function", target=_WRAP)


def _inline_call(graph_module: GraphModule, wrap: Node) -> None:
    _, holder, *operands = wrap.args
    assert isinstance(holder, Node)
    inner = getattr(graph_module, str(holder.target))
    with graph_module.graph.inserting_before(wrap):
        results = _copy_nodes(inner, operands, graph_module)
    for item in list(wrap.users):
        item.replace_all_uses_with(results[item.args[1]])
        graph_module.graph.erase_node(item)
    graph_module.graph.erase_node(wrap)
    if not holder.users:
        graph_module.graph.erase_node(holder)


def _copy_nodes(inner: GraphModule, operands: Sequence[Any], outer: GraphModule) -> Sequence[Any]:
    """Copy the nodes of `inner` to the insertion point; return the results."""
    copies = dict(zip(inner.graph.find_nodes(op="placeholder"), operands, strict=True))
    for node in inner.graph.nodes:
        if node.op == "get_attr":
            copies[node] = _carried_over(node, inner, outer)
        elif node.op == "call_function":
            copies[node] = outer.graph.node_copy(node, copies.__getitem__)
    return torch.fx.map_arg(inner.graph.output_node().args[0], copies.__getitem__)


def _carried_over(node: Node, inner: GraphModule, outer: GraphModule) -> Node:
    """Copy an attribute, a tensor or a graph, to `outer` under an unused name."""
    name = next(name for name in map("inlined_{}".format, count()) if not hasattr(outer, name))
    setattr(outer, name, getattr(inner, str(node.target)))
    copied = outer.graph.get_attr(name)
    copied.meta = dict(node.meta)
    return copied
