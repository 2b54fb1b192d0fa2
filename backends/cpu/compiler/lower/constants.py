"""Tensors whose elements are the same at every call; their sizes need not be."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import Laid, constant
from backends.cpu.compiler.kinds.copy import Copy
from backends.cpu.compiler.lower.builder import Builder, as_it_is
from backends.cpu.compiler.lower.rule import ANY, Program, Refusal, Rule, argument, dim_at, dims_at, tensor_of

_aten = torch.ops.aten
# Numbers that a range of a length known at the call only may count up to: so many are in the file.
_MOST = 1 << 16


def _lower_filled(builder: Builder, node: Node, value: int | float | bool) -> None:
    dims = dims_at(node)
    one = constant(torch.full((1,) * len(dims), value, dtype=tensor_of(node).dtype))
    if one.dims == dims:
        builder.alias(node, Laid(one, as_it_is(len(dims))))
        return
    again = tuple(1 if dim == 1 else 0 for dim in dims)
    builder.step(Copy((again,)), [one], builder.write(node), node, dims=(0, 0) * len(dims))


def _lower_scalar(builder: Builder, node: Node) -> None:
    _lower_filled(builder, node, node.args[0])


def _lower_full(builder: Builder, node: Node) -> None:
    _lower_filled(builder, node, node.args[1])


def _lower_range(builder: Builder, node: Node) -> None:
    """Of as many numbers as there can be, those of this call are copied."""
    start, step, dtype = dim_at(node.args[0]), argument(node, 2, "step", 1), tensor_of(node).dtype
    (count,) = dims_at(node)
    if isinstance(start, int) and isinstance(count, int):
        builder.alias(node, Laid(constant(torch.arange(start, start + step * count, step, dtype=dtype)), (0,)))
        return
    end = _end(builder.program, node)
    assert end is not None, "ranges without a bound are refused"
    numbers = constant(torch.arange(end, dtype=dtype))
    builder.step(Copy(((step,),)), [numbers], builder.write(node), node, dims=(start, 0))


def _end(program: Program, node: Node) -> int | None:
    """What a range does not get beyond."""
    last: Dim = dim_at(node.args[0]) + argument(node, 2, "step", 1) * dims_at(node)[0]
    return program.bounds.maximum(last)


def _refuses_range(program: Program, node: Node) -> Refusal:
    start, step = dim_at(node.args[0]), argument(node, 2, "step", 1)
    if not isinstance(step, int) or step < 1 or isinstance(start, float) or program.bounds.minimum(start) < 0:
        return "a range is taken of whole numbers from 0 up"
    end = _end(program, node)
    return None if end is not None and end <= _MOST else f"a range is taken up to {_MOST} at most"


def _refuses_filled(program: Program, node: Node) -> Refusal:
    value = node.args[0] if len(node.args) == 1 else node.args[1]
    return "what it is filled with is computed during the call" if isinstance(value, Node) else None


RULES: dict[OpOverload, Rule] = {
    _aten.scalar_tensor.default: Rule(_lower_scalar, _refuses_filled, computes=False, dtypes=ANY),
    _aten.full.default: Rule(_lower_full, _refuses_filled, computes=False, dtypes=ANY),
    _aten.full_like.default: Rule(_lower_full, _refuses_filled, computes=False, dtypes=ANY),
    _aten.arange.start_step: Rule(_lower_range, _refuses_range, computes=False, dtypes=(torch.int64, torch.int32)),
}
