"""Finds RMS norms that consist of elementary operators.

The pattern is w * (x * rsqrt(mean(x^2) + epsilon)).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers the casts)
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from exir.dialects.edge import to_torch_overload

_aten = torch.ops.aten
_CAST = torch.ops.dim_order_ops._to_dim_order_copy.default


@dataclass(frozen=True)
class RmsNorm:
    """An RMS norm over the last dimension of x.

    nodes: the nodes that compute it, in order.
    """

    x: Node
    scale: Tensor | None
    epsilon: float
    nodes: tuple[Node, ...]


def rms_norm_at(program: Program, node: Node) -> RmsNorm | None:
    """Return the RMS norm whose last operator is `node`, or None.

    The scale is included if there is one.
    """
    plain = _plain(program, node)
    if plain is not None or to_torch_overload(node.target) != _aten.mul.Tensor:
        return plain
    for inner, other in _both_ways(node):
        norm, scale = _plain(program, _uncast(inner)), program.constant(other)
        if norm is not None and scale is not None and _is_row(scale, node):
            return RmsNorm(norm.x, scale.flatten(), norm.epsilon, (*norm.nodes, node))
    return None


def _uncast(node: object) -> object:
    """Return the operand of a cast between floating-point dtypes; otherwise, `node`.

    Ops compute all of these dtypes in float32. 16-bit models have such a cast before the
    multiplication by the scale.
    """
    if not _is(node, _CAST) or not isinstance(node.args[0], Node):
        return node
    dtypes = {tensor_of(node).dtype, tensor_of(node.args[0]).dtype}
    return node.args[0] if dtypes == {torch.float32} else node


def _plain(program: Program, node: object) -> RmsNorm | None:
    """Return the norm without scale that ends with `node`, or None.

    The pattern is x * rsqrt(...) or x / sqrt(...).
    """
    if not isinstance(node, Node):
        return None
    operator = to_torch_overload(node.target)
    if operator == _aten.div.Tensor:
        return _scaled(program, node, node.args[0], node.args[1], _aten.sqrt.default)
    if operator != _aten.mul.Tensor:
        return None
    found = (_scaled(program, node, x, factor, _aten.rsqrt.default) for x, factor in _both_ways(node))
    return next((each for each in found if each is not None), None)


def _scaled(program: Program, node: Node, x: object, factor: object, root: OpOverload) -> RmsNorm | None:
    if not isinstance(x, Node) or not _is(factor, root):
        return None
    if not dims_at(x) or not isinstance(dims_at(x)[-1], int):
        return None
    total = factor.args[0]
    for mean, epsilon in _both_ways(total) if _is(total, _aten.add.Tensor) else ():
        value = program.constant(epsilon)
        if value is not None and value.numel() == 1 and _is_mean_square(mean, x):
            return RmsNorm(x, None, float(value), (mean.args[0], mean, total, factor, node))
    return None


def _is_mean_square(mean: object, x: Node) -> bool:
    if not _is(mean, _aten.mean.dim) or not argument(mean, 2, "keepdim", False):
        return False
    return [dim % tensor_of(x).dim() for dim in mean.args[1]] == [tensor_of(x).dim() - 1] and _is_square(
        mean.args[0], x
    )


def _is_square(node: object, x: Node) -> bool:
    if _is(node, _aten.mul.Tensor):
        return node.args[0] is x and node.args[1] is x
    return _is(node, _aten.pow.Tensor_Scalar) and node.args[0] is x and node.args[1] == 2


def _is(node: object, operator: OpOverload) -> TypeGuard[Node]:
    return isinstance(node, Node) and to_torch_overload(node.target) == operator


def _is_row(scale: Tensor, node: Node) -> bool:
    return scale.dim() > 0 and scale.numel() == scale.shape[-1] == dims_at(node)[-1]


def _both_ways(node: Node) -> Iterator[tuple[Node, Node]]:
    first, second = node.args[:2]
    yield first, second
    yield second, first
