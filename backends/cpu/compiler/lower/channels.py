"""Lowering of norms with a per-channel scale and shift.

These norms are batch norm (inference), group norm and instance norm.
"""

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import TensorLayout, Value, constant
from backends.cpu.compiler.lower.builder import Builder, as_it_is, view
from backends.cpu.compiler.lower.parts import parts_of, refuses_but_first
from backends.cpu.compiler.lower.program import Program, dims_at
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.elementwise import ElementwiseF32, Opcode
from backends.cpu.schema.normalization import Norm

_aten = torch.ops.aten
_CHANNEL = 1
_X, _WEIGHT, _BIAS, _MEAN, _VARIANCE = range(5)
_BATCH_EPSILON, _GROUPS, _GROUP_EPSILON, _INSTANCE_EPSILON = 6, 6, 7, 7


def _lower_batch_norm(builder: Builder, node: Node) -> None:
    """Lower to elementwise ops that scale and shift each channel by constants."""
    mean, variance = (builder.program.constant(node.args[index]) for index in (_MEAN, _VARIANCE))
    assert mean is not None and variance is not None
    scale, shift = _rows(builder.program, node)
    factor = (variance + float(node.args[_BATCH_EPSILON])).rsqrt()
    factor = factor if scale is None else factor * scale
    summand = -mean * factor
    _scale(builder, node, builder.layout(node.args[_X]), factor, summand if shift is None else summand + shift)


def _lower_group_norm(builder: Builder, node: Node) -> None:
    _normalize(builder, node, (dims_at(node.args[_X])[0], node.args[_GROUPS]), float(node.args[_GROUP_EPSILON]))


def _lower_instance_norm(builder: Builder, node: Node) -> None:
    _normalize(builder, node, dims_at(node.args[_X])[:2], float(node.args[_INSTANCE_EPSILON]))


def _normalize(builder: Builder, node: Node, rows: tuple[Dim, ...], epsilon: float) -> None:
    """Normalize x, viewed as [*rows, columns], then scale and shift each channel.

    rows: the batch size, and the number of groups of channels.
    """
    x = builder.read(node.args[_X])
    columns = x.dims[_CHANNEL] // rows[1] * product(x.dims[2:])
    normal = Value(x.dtype, x.dims)
    builder.op(Norm(True, epsilon), [view(x, (*rows, columns))], view(normal, (*rows, columns)), node)
    _scale(builder, node, TensorLayout(normal, as_it_is(len(x.dims))), *_rows(builder.program, node))


def _scale(builder: Builder, node: Node, layout: TensorLayout, factor: Tensor | None, summand: Tensor | None) -> None:
    """Emit `layout` * `factor` + `summand` per channel.

    This is the result of `node` or, if it has several, its first result.
    """
    for opcode, row in ((Opcode.MUL, factor), (Opcode.ADD, summand)):
        if row is not None:
            dims = [1] * len(layout.order)
            dims[layout.order.index(_CHANNEL)] = row.numel()
            output = Value(layout.value.dtype, layout.value.dims)
            builder.op(
                ElementwiseF32.call(opcode, None, None), [layout.value, constant(row.reshape(dims))], output, node
            )
            layout = TensorLayout(output, layout.order)
    for each in parts_of(node).get(0, []) if isinstance(node.meta["val"], tuple | list) else [node]:
        builder.alias(each, layout)


def _rows(program: Program, node: Node) -> tuple[Tensor | None, Tensor | None]:
    """Return the scales and the shifts of the channels, or None if they are missing."""
    return program.constant(node.args[_WEIGHT]), program.constant(node.args[_BIAS])


def _refuses_batch_norm(program: Program, node: Node) -> Refusal:
    if program.constant(node.args[_MEAN]) is None or program.constant(node.args[_VARIANCE]) is None:
        return "the statistics are not constant"
    return _refuses_rows(program, node) or refuses_but_first(program, node)


def _refuses_group_norm(program: Program, node: Node) -> Refusal:
    if not isinstance(dims_at(node.args[_X])[_CHANNEL], int):
        return "the number of channels must be static"
    if 0 in dims_at(node.args[_X])[:2]:
        return "the batch size or the number of channels is 0"
    return _refuses_rows(program, node) or refuses_but_first(program, node)


def _refuses_instance_norm(program: Program, node: Node) -> Refusal:
    if 0 in dims_at(node.args[_X])[:2]:
        return "the batch size or the number of channels is 0"
    return _refuses_rows(program, node) if node.args[5] else "use_input_stats=False is not supported"


def _refuses_rows(program: Program, node: Node) -> Refusal:
    for index, name in ((_WEIGHT, "weight"), (_BIAS, "bias")):
        if isinstance(node.args[index], Node) and program.constant(node.args[index]) is None:
            return f"the {name} is not constant"
    return None


RULES: dict[OpOverload, Rule] = {
    _aten._native_batch_norm_legit_no_training.default: Rule(_lower_batch_norm, _refuses_batch_norm),
    _aten.native_group_norm.default: Rule(_lower_group_norm, _refuses_group_norm, numbers=True),
    _aten.instance_norm.default: Rule(_lower_instance_norm, _refuses_instance_norm, whole=True),
}
