"""Computes the new value of a base after a write to its view."""

from collections.abc import Callable
from typing import Any

import torch
from torch import SymInt
from torch._ops import OpOverload
from torch.fx import Node

from exir.graph.alias import View
from exir.graph.graph_builder import GraphBuilder

_ATEN = torch.ops.aten


def is_invertible(view: View) -> bool:
    """Return true if `written_base` supports `view`."""
    return view.op in _INVERSES


def written_base(builder: GraphBuilder, view: View, written: Node) -> Node:
    """Append the value that `view.base` has after `written` is written to the view."""
    assert view.op is not None
    return _INVERSES[view.op](builder, view, written)


def _invert_slice(builder: GraphBuilder, view: View, written: Node) -> Node:
    return builder.call(_ATEN.slice_scatter.default, (view.base, written, *view.args))


def _invert_select(builder: GraphBuilder, view: View, written: Node) -> Node:
    return builder.call(_ATEN.select_scatter.default, (view.base, written, *view.args))


def _invert_permute(builder: GraphBuilder, view: View, written: Node) -> Node:
    order = [dim % len(view.args[0]) for dim in view.args[0]]
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return builder.call(_ATEN.permute_copy.default, (written, inverse))


def _invert_reshape(builder: GraphBuilder, view: View, written: Node) -> Node:
    shape = [_size_node(builder, size, view.base) for size in view.base.meta["val"].shape]
    return builder.call(_ATEN.view_copy.default, (written, shape))


def _size_node(builder: GraphBuilder, size: Any, base: Node) -> Any:
    return builder.sizes.node_for(size, [base]) if isinstance(size, SymInt) else size


_INVERSES: dict[OpOverload | None, Callable[[GraphBuilder, View, Node], Node]] = {
    _ATEN.permute.default: _invert_permute,
    _ATEN.select.int: _invert_select,
    _ATEN.slice.Tensor: _invert_slice,
    _ATEN.squeeze.default: _invert_reshape,
    _ATEN.squeeze.dim: _invert_reshape,
    _ATEN.squeeze.dims: _invert_reshape,
    _ATEN.unsqueeze.default: _invert_reshape,
    _ATEN.view.default: _invert_reshape,
}
