"""Inserts edge operators into a finished graph."""

from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Node

from exir.dialects.edge import edge_op
from exir.graph.graph_builder import inherited_meta, values
from exir.graph.variants import run_copying, view_form


def insert_before(
    node: Node,
    op: OpOverload,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    fake_mode: FakeTensorMode,
) -> Node:
    """Insert a call of `op` before `node`, with the source line of `node`."""
    with torch.no_grad(), fake_mode:
        val = run_copying(view_form(op), values(args), values(kwargs))
    with node.graph.inserting_before(node):
        new = node.graph.call_function(edge_op(op), args, kwargs)
    new.meta = {**inherited_meta(node), "val": val}
    return new


def replace_and_erase(node: Node, by: Node) -> None:
    """Replace all uses of `node` with `by`, and erase `node`."""
    node.replace_all_uses_with(by)
    node.graph.erase_node(node)
