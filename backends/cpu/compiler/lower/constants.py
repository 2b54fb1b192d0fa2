"""Lowering of tensors with constant elements, whose sizes may be dynamic."""

from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import TensorLayout, Value, constant
from backends.cpu.compiler.lower.builder import Builder, as_it_is, view
from backends.cpu.compiler.lower.casts import cast
from backends.cpu.compiler.lower.program import Program, argument, dim_at, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import ANY, NUMBERS, WHOLE, Refusal, Rule
from backends.cpu.compiler.lower.sizes import number_of
from backends.cpu.schema.copies import Copy
from backends.cpu.schema.indexing import Arange

_aten = torch.ops.aten


def _lower_filled(builder: Builder, node: Node, value: Any) -> None:
    dims = dims_at(node)
    one = _one(builder, node, value)
    if one.dims == dims:
        builder.alias(node, TensorLayout(one, as_it_is(len(dims))))
        return
    strides = tuple(1 if dim == 1 else 0 for dim in dims)
    builder.op(Copy(None, strides), [one], builder.write(node), node, dims=(0, 0) * len(dims))


def _one(builder: Builder, node: Node, value: Any) -> Value:
    """Return `value` as a tensor with one element and the rank of `node`.

    value: a constant or an integer of the program.
    """
    dims, dtype = (1,) * tensor_of(node).dim(), tensor_of(node).dtype
    if not isinstance(value, Node):
        return constant(torch.full(dims, value, dtype=dtype))
    number = number_of(builder, node, dim_at(value))
    if number.dtype != dtype:
        output = Value(dtype, number.dims)
        builder.op(cast(number.dtype, dtype), [number], output, node)
        number = output
    return view(number, dims)


def _lower_scalar(builder: Builder, node: Node) -> None:
    _lower_filled(builder, node, node.args[0])


def _lower_full(builder: Builder, node: Node) -> None:
    _lower_filled(builder, node, node.args[1])


def _lower_range(builder: Builder, node: Node) -> None:
    start, step, dtype = dim_at(node.args[0]), argument(node, 2, "step", 1), tensor_of(node).dtype
    (count,) = dims_at(node)
    if isinstance(start, (int, float)) and isinstance(count, int):
        numbers = torch.arange(start, start + step * count, step, dtype=dtype)[:count]
        builder.alias(node, TensorLayout(constant(numbers), (0,)))
    else:
        builder.op(Arange(step), [], builder.write(node), node, dims=(start,))


def _refuses_range(program: Program, node: Node) -> Refusal:
    start, step = dim_at(node.args[0]), argument(node, 2, "step", 1)
    if isinstance(step, Node):
        return "the step of arange is not constant"
    if isinstance(start, (int, float)) and isinstance(dims_at(node)[0], int):
        return None
    if tensor_of(node).dtype not in WHOLE or not isinstance(step, int):
        return "arange of dynamic length requires an integer dtype"
    if isinstance(start, float) or not program.bounds.holds(start):
        return "arange of dynamic length must not start below 0"
    return None


def _refuses_filled(program: Program, node: Node) -> Refusal:
    value = node.args[0] if len(node.args) == 1 else node.args[1]
    if not isinstance(value, Node):
        return None
    if tensor_of(node).dtype not in NUMBERS or not program.bounds.holds(dim_at(value)):
        return "the fill value is dynamic, and might be negative or has no upper bound"
    return None


RULES: dict[OpOverload, Rule] = {
    _aten.scalar_tensor.default: Rule(_lower_scalar, _refuses_filled, computes=False, dtypes=ANY, numbers=True),
    _aten.full.default: Rule(_lower_full, _refuses_filled, computes=False, dtypes=ANY, numbers=True),
    _aten.full_like.default: Rule(_lower_full, _refuses_filled, computes=False, dtypes=ANY, numbers=True),
    _aten.arange.start_step: Rule(
        _lower_range, _refuses_range, computes=False, dtypes=(*WHOLE, torch.float32), numbers=True
    ),
}
