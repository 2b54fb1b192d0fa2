"""Matches the forms of linear layers in the edge dialect."""

from dataclasses import dataclass

import torch
from torch.fx import Node

from exir.dialects.edge import edge_op

_ATEN = torch.ops.aten
_ADDMM = edge_op(_ATEN.addmm.default)
_MM = edge_op(_ATEN.mm.default)
_LINEAR = edge_op(_ATEN.linear.default)
_PERMUTE = edge_op(_ATEN.permute_copy.default)
_VIEW = edge_op(_ATEN.view_copy.default)


@dataclass(frozen=True)
class LinearLayer:
    """A linear layer: `node` computes x · Wᵀ + bias."""

    node: Node
    x: Node
    bias: Node | None


def linear_layers(weight: Node) -> list[LinearLayer]:
    """Return the linear layers whose weight is `weight`."""
    return [layer for user in list(weight.users) for layer in _layers_of_user(user, weight)]


def _layers_of_user(user: Node, weight: Node) -> list[LinearLayer]:
    """Return the linear layers of `weight` that start at its user `user`."""
    if user.target is _LINEAR and user.args[1] is weight:
        bias = user.args[2] if len(user.args) > 2 else None
        return [LinearLayer(user, user.args[0], bias)]
    if is_transpose(user):
        found = (_match_gemm(node, user) for node in user.users)
        return [layer for layer in found if layer is not None]
    return []


def is_transpose(node: Node) -> bool:
    """Return true if `node` transposes a matrix."""
    return node.target is _PERMUTE and [dim % 2 for dim in node.args[1]] == [1, 0]


def of_all_rows(layer: LinearLayer) -> LinearLayer:
    """Return the layer without views that flatten and restore leading dimensions."""
    users = list(layer.node.users)
    if layer.x.target is not _VIEW or len(users) != 1 or users[0].target is not _VIEW:
        return layer
    before, after = layer.x.args[0], users[0]
    rows, results = _size_expressions(before), _size_expressions(after)
    is_same = rows[:-1] == results[:-1] and rows[-1:] == _size_expressions(layer.x)[-1:]
    return (
        LinearLayer(after, before, layer.bias)
        if is_same and results[-1:] == _size_expressions(layer.node)[-1:]
        else layer
    )


def _size_expressions(node: Node) -> list[str]:
    """Return sizes as expressions, because comparing symbols would add guards."""
    return [str(size) for size in node.meta["val"].shape]


def _match_gemm(node: Node, columns: Node) -> LinearLayer | None:
    """Return `node` as a linear layer if it multiplies rows by `columns`."""
    if node.args[-1] is not columns or node.kwargs:
        return None
    if node.target is _MM:
        return LinearLayer(node, node.args[0], None)
    if node.target is _ADDMM and node.args[0].meta["val"].dim() == 1:
        return LinearLayer(node, node.args[1], node.args[0])
    return None
