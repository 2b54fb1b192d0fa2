"""Branches of `torch.cond` as a graph holds them."""

from collections.abc import Iterator

import torch
from torch.fx import GraphModule, Node

from exir.error import UnsupportedOperatorError


def is_cond(node: Node) -> bool:
    """Whether `node` is a `torch.cond`: `(predicate, true branch, false branch, operands)`."""
    return node.op == "call_function" and node.target is torch.ops.higher_order.cond


def branch_of(node: Node) -> GraphModule:
    """The graph module that a `get_attr` node names."""
    assert node.op == "get_attr" and isinstance(node.target, str)
    branch = getattr(node.graph.owning_module, node.target)
    if not isinstance(branch, GraphModule):
        raise UnsupportedOperatorError(f"'{node.target}' is no graph", node)
    return branch


def branches_of(cond: Node) -> tuple[GraphModule, GraphModule]:
    """The true and the false branch of a `torch.cond`."""
    _, on_true, on_false, _ = cond.args
    assert isinstance(on_true, Node) and isinstance(on_false, Node)
    return branch_of(on_true), branch_of(on_false)


def branch_modules(graph_module: GraphModule) -> Iterator[GraphModule]:
    """The branches of every `torch.cond` in `graph_module`, not of nested ones."""
    for node in graph_module.graph.nodes:
        if is_cond(node):
            yield from branches_of(node)
