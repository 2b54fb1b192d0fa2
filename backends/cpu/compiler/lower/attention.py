"""Lowering of `scaled_dot_product_attention` to one op.

The op reads int8 keys and values in place if each row of the cache has a scale.
"""

from math import inf, sqrt

import torch
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operators)
from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is, view
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.attention import SdpaF32, SdpaF32Qd8kv
from backends.cpu.schema.elementwise import ElementwiseF32, Opcode
from exir.dialects.edge import to_torch_overload

_aten = torch.ops.aten
_CAST = torch.ops.dim_order_ops._to_dim_order_copy.default
_MASK, _DROPOUT, _CAUSAL = 3, 4, 5
# Memory order of [batch, heads, rows, size] in which the heads of a row are adjacent.
_SIDE_BY_SIDE: Order = (0, 2, 1, 3)
_HIDES = "hides"


def _lower_attention(builder: Builder, node: Node) -> None:
    q, k, v = node.args[:3]
    heads, depth = (int(dims_at(q)[dim]) for dim in (1, 3))
    scale = node.kwargs.get("scale")
    quantized = [found for each in (k, v) if (found := _quantized_rows(each)) is not None]
    is_int8 = len(quantized) == 2
    spec = (SdpaF32Qd8kv if is_int8 else SdpaF32)(
        heads,
        int(dims_at(k)[1]),
        depth,
        (0, 0, 0),
        bool(argument(node, _CAUSAL, "is_causal", False)),
        1 / sqrt(depth) if scale is None else float(scale),
    )
    cached = _int8_keys(builder, quantized) if is_int8 else [_keys(builder, each) for each in (k, v)]
    inputs = [_rows(builder.read(q, _SIDE_BY_SIDE)), *cached]
    mask = argument(node, _MASK, "attn_mask")
    if mask is not None:
        inputs.append(_additive_mask(builder, mask))
    output = builder.write(node, _SIDE_BY_SIDE)
    builder.op(spec, inputs, view(output, _joined(output)), node, dims=(0,))


def _keys(builder: Builder, node: Node) -> Value:
    """Return keys or values as rows, or per head if stored per head, as in KV caches."""
    if not builder.has_layout(node, _SIDE_BY_SIDE) and builder.has_layout(node, as_it_is(4)):
        return builder.read(node, as_it_is(4))
    return _rows(builder.read(node, _SIDE_BY_SIDE))


def _quantized_rows(node: Node) -> tuple[Node, Node] | None:
    """Return the int8 rows and the scales whose product `node` is, or None.

    The scales are [B, heads, rows, 1].
    """
    if to_torch_overload(node.target) != _aten.mul.Tensor:
        return None
    cast, scales = node.args
    if not isinstance(cast, Node) or to_torch_overload(cast.target) != _CAST or not isinstance(scales, Node):
        return None
    rows = cast.args[0]
    is_int8 = tensor_of(rows).dtype == torch.int8 and tensor_of(scales).dtype == torch.float32
    return (rows, scales) if is_int8 and dims_at(scales) == (*dims_at(rows)[:3], 1) else None


def _int8_keys(builder: Builder, quantized: list[tuple[Node, Node]]) -> list[Value]:
    """Return int8 keys and values, followed by their scales, all stored per head."""
    rows = [builder.read(each, as_it_is(4)) for each, _ in quantized]
    scales = [builder.read(each, as_it_is(4)) for _, each in quantized]
    return rows + [view(each, each.dims[:3]) for each in scales]


def _additive_mask(builder: Builder, mask: Node) -> Value:
    """Return the mask that is added to scores.

    A boolean mask is converted to 0 (true) and minus infinity (false).
    """
    value = builder.broadcast(mask, as_it_is(4))
    if value.dtype == torch.float32:
        return value
    return builder.once((builder.layout(mask), _HIDES), lambda: _hiding(builder, value, mask))


def _hiding(builder: Builder, visible: Value, mask: Node) -> Value:
    output = Value(torch.float32, visible.dims)
    builder.op(ElementwiseF32.call(Opcode.WHERE, None, 0.0, -inf), [visible], output, mask)
    return output


def _rows(value: Value) -> Value:
    """Return `value` [B, S, heads, size] as rows.

    The result is the storage of `value` if it has the dims of rows, and a view otherwise.
    """
    dims = _joined(value)
    return value.storage if value.storage.dims == dims else view(value, dims)


def _joined(value: Value) -> tuple[Dim, ...]:
    batch, rows, heads, size = value.dims
    return (batch, rows, heads * size)


def _refuses(program: Program, node: Node) -> Refusal:
    q, k, v = (tensor_of(each) for each in node.args[:3])
    if not q.dim() == k.dim() == v.dim() == 4:
        return "attention tensors must be [batch, heads, rows, size]"
    if argument(node, _DROPOUT, "dropout_p", 0.0) != 0:
        return "attention with dropout is not supported"
    heads, groups = dims_at(node.args[0])[1], dims_at(node.args[1])[1]
    sizes = [heads, groups, dims_at(node.args[2])[1], *(dims_at(each)[3] for each in node.args[:3])]
    if not all(isinstance(size, int) for size in sizes):
        return "the number of heads and their sizes must be static"
    if groups != sizes[2] or heads % groups != 0:
        return f"{heads} query heads, {groups} key heads and {sizes[2]} value heads are not supported"
    return _refuses_sizes(node)


def _refuses_sizes(node: Node) -> Refusal:
    queries, keys, values = (dims_at(each)[2] for each in node.args[:3])
    if keys != values:
        return f"{keys} keys and {values} values are not supported; make both sizes the same Dim"
    mask = argument(node, _MASK, "attn_mask")
    if mask is not None and dims_at(mask)[-1:] != (keys,):
        return "a mask of size 1 in the key dimension is not supported"
    if mask is not None and dims_at(mask)[-2:-1] not in ((), (1,), (queries,)):
        return f"a mask of {dims_at(mask)[-2]} rows for {queries} queries is not supported"
    same_batch = dims_at(node.args[0])[0] == dims_at(node.args[1])[0] == dims_at(node.args[2])[0]
    return None if same_batch else "queries, keys and values of different batch sizes are not supported"


RULES: dict[OpOverload, Rule] = {
    _aten.scaled_dot_product_attention.default: Rule(
        _lower_attention, _refuses, dtypes=(torch.float32, torch.bool), whole=True
    ),
}
