"""Clones values of a graph."""

import torch
from torch.fx import Node


def clone_before(point: Node, value: Node) -> Node:
    """Insert a node before `point` that copies the tensor `value` to separate memory."""
    with point.graph.inserting_before(point):
        copy = point.graph.call_function(torch.ops.aten.clone.default, (value,))
    copy.meta = dict(value.meta)
    return copy
