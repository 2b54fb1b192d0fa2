"""Lowering of slices, concatenation, expansion, padding, rolls and flips."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is, view
from backends.cpu.compiler.lower.program import Program, argument, dim_at, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import ANY, Refusal, Rule, refuses_sizes
from backends.cpu.schema.copies import COPY_INPUTS, Copy

_aten = torch.ops.aten


@dataclass
class Part:
    """One input of a copy. Lists are in the order of the tensor's dimensions."""

    value: Value
    strides: list[int]
    starts: list[Dim]
    firsts: list[Dim] = field(default_factory=list)


def part_of(value: Value) -> Part:
    """Return a part that copies all of `value` to the beginning of the output."""
    rank = len(value.dims)
    return Part(value, [1] * rank, [0] * rank, [0] * rank)


def emit_copy(
    builder: Builder, node: Node, parts: Sequence[Part], output: Value, order: Order, fill: float | None = None
) -> None:
    """Emit an op that copies `parts` to `output`.

    order: memory order of the dimensions of `output`.
    """
    strides = tuple(part.strides[dim] for part in parts for dim in order)
    dims = tuple(each for part in parts for dim in order for each in (part.starts[dim], part.firsts[dim]))
    builder.op(Copy(fill, strides), [part.value for part in parts], output, node, dims=dims)


def _from_end(index: int, size: Dim) -> Dim:
    return index if index >= 0 else size + index


def _lower_slice(builder: Builder, node: Node) -> None:
    layout, dim = builder.layout(node.args[0]), _dim_of(node)
    part = part_of(layout.value)
    part.starts[dim] = _start(node, layout.dims[dim])
    part.strides[dim] = argument(node, 4, "step", 1)
    emit_copy(builder, node, [part], builder.write(node, layout.order), layout.order)


def _start(node: Node, size: Dim) -> Dim:
    start = argument(node, 2, "start")
    if isinstance(start, Node):
        return dim_at(start)
    found = _from_end(0 if start is None else start, size)
    return max(found, 0) if isinstance(found, int) else found


def _dim_of(node: Node) -> int:
    return argument(node, 1, "dim", 0) % tensor_of(node.args[0]).dim()


def _lower_select(builder: Builder, node: Node) -> None:
    """Emit a slice of size 1, and drop its dimension."""
    layout, dim = builder.layout(node.args[0]), _dim_of(node)
    part = part_of(layout.value)
    part.starts[dim] = _from_end(node.args[2], layout.dims[dim])
    order = tuple(each - (each > dim) for each in layout.order if each != dim)
    output = builder.write(node, order)
    sizes = tuple(1 if each == dim else layout.dims[each] for each in layout.order)
    emit_copy(builder, node, [part], view(output, sizes), layout.order)


def _lower_split(builder: Builder, node: Node) -> None:
    """Emit a slice for each part that has users."""
    layout, dim = builder.layout(node.args[0]), argument(node, 2, "dim", 0) % tensor_of(node.args[0]).dim()
    sizes = node.args[1]
    for part in node.users:
        source = part_of(layout.value)
        source.starts[dim] = sum(sizes[: part.args[1]])
        emit_copy(builder, part, [source], builder.write(part, layout.order), layout.order)


def _lower_cat(builder: Builder, node: Node) -> None:
    dim = argument(node, 1, "dim", 0) % tensor_of(node).dim()
    order = builder.layout(node.args[0][0]).order
    parts, first = [], 0
    for each in node.args[0]:
        part = part_of(builder.read(each, order))
        part.firsts[dim] = first
        first = first + builder.layout(each).dims[dim]
        parts.append(part)
    emit_copy(builder, node, parts, builder.write(node, order), order)


def _lower_expand(builder: Builder, node: Node) -> None:
    _expand(builder, node, node.args[0])


def _lower_copy(builder: Builder, node: Node) -> None:
    """Expand the second operand to the sizes of the first."""
    _expand(builder, node, node.args[1])


def _expand(builder: Builder, node: Node, source: Node) -> None:
    dims = dims_at(node)
    builder.alias(node, TensorLayout(expanded(builder, node, source, dims), as_it_is(len(dims))))


def expanded(builder: Builder, node: Node, source: Node, dims: tuple[Dim, ...]) -> Value:
    """Return the tensor of `source`, broadcast to `dims`, in logical order."""
    order = as_it_is(len(dims))
    x = builder.broadcast(source, order)
    if x.dims == dims:
        return x
    part = part_of(x)
    part.strides = [0 if own == 1 and size != 1 else 1 for own, size in zip(x.dims, dims, strict=True)]
    output = Value(x.dtype, dims)
    emit_copy(builder, node, [part], output, order)
    return output


def _lower_pad(builder: Builder, node: Node) -> None:
    layout = builder.layout(node.args[0])
    part = part_of(layout.value)
    for place, before in enumerate(node.args[1][::2]):
        dim = len(layout.order) - 1 - place
        part.firsts[dim], part.starts[dim] = max(before, 0), max(-before, 0)
    fill = float(argument(node, 2, "value", 0.0))
    emit_copy(builder, node, [part], builder.write(node, layout.order), layout.order, fill)


def _lower_flip(builder: Builder, node: Node) -> None:
    layout = builder.layout(node.args[0])
    if not layout.order:
        builder.alias(node, layout)
        return
    part = part_of(layout.value)
    for each in node.args[1]:
        dim = each % len(layout.order)
        part.strides[dim], part.starts[dim] = -1, layout.dims[dim] - 1
    emit_copy(builder, node, [part], builder.write(node, layout.order), layout.order)


def _lower_roll(builder: Builder, node: Node) -> None:
    """Copy two parts per rolled dimension. One of them wraps around."""
    layout = builder.layout(node.args[0])
    parts = [part_of(layout.value)]
    for dim, shift in _shifts(node).items():
        parts = [each for part in parts for each in _rolled(part, dim, shift, layout.dims[dim])]
    emit_copy(builder, node, parts, builder.write(node, layout.order), layout.order)


def _rolled(part: Part, dim: int, shift: int, size: Dim) -> list[Part]:
    begin, end = (replace(part, starts=[*part.starts], firsts=[*part.firsts]) for _ in range(2))
    end.firsts[dim], begin.starts[dim] = shift, size - shift
    return [end, begin]


def _shifts(node: Node) -> dict[int, int]:
    """Return the positive shift of each dimension that is rolled."""
    rank, sizes = tensor_of(node).dim(), dims_at(node)
    pairs = [(dim % rank, shift) for dim, shift in zip(node.args[2], node.args[1], strict=True)]
    return {dim: shift % sizes[dim] for dim, shift in pairs if shift % sizes[dim]}


def _refuses_roll(program: Program, node: Node) -> Refusal:
    dims = argument(node, 2, "dims")
    if not dims or tensor_of(node).dim() == 0 or len(dims) != len({dim % tensor_of(node).dim() for dim in dims}):
        return "each rolled dimension must be listed once"
    if len(dims) > 3 or any(not isinstance(size, int) or size == 0 for size in dims_at(node)):
        return "at most three dimensions can be rolled, and their sizes must be static"
    return None


def _refuses_slice(program: Program, node: Node) -> Refusal:
    """Reject slices whose size differs from eager PyTorch for some input sizes.

    torch.export omits the clamp of the end, or of the size, if the example does not need it.
    """
    start, step = argument(node, 2, "start"), argument(node, 4, "step", 1)
    if isinstance(start, Node) and not program.bounds.holds(dim_at(start)):
        return "the start index might be negative, or has no upper bound"
    if isinstance(step, Node):
        return "the step is not constant"
    size, outputs = (dims_at(each)[_dim_of(node)] for each in (node.args[0], node))
    ends = list(program.bounds.at_ends((_start(node, size), outputs, size)))
    if any(count < 0 for _, count, _ in ends):
        return "the start of the slice might exceed its end"
    exceeds = any(count > 0 and first + (count - 1) * step >= most for first, count, most in ends)
    return "the end of the slice might exceed the dimension" if exceeds else None


def _refuses_copy(program: Program, node: Node) -> Refusal:
    same = tensor_of(node.args[1]).dtype == tensor_of(node).dtype
    if not same:
        return "the dtype of the source differs"
    return refuses_sizes(program, dims_at(node.args[1]), dims_at(node), broadcast=True)


def _refuses_expand(program: Program, node: Node) -> Refusal:
    return refuses_sizes(program, dims_at(node.args[0]), dims_at(node), broadcast=True)


def _refuses_cat(program: Program, node: Node) -> Refusal:
    if len(node.args[0]) > COPY_INPUTS:
        return f"{len(node.args[0])} tensors are concatenated; at most {COPY_INPUTS} are supported"
    if len({tensor_of(each).dim() for each in node.args[0]}) > 1:
        return "the concatenated tensors have different ranks"
    if any(tensor_of(each).dtype != tensor_of(node).dtype for each in node.args[0]):
        return "the concatenated tensors have different dtypes"
    dim = argument(node, 1, "dim", 0) % tensor_of(node).dim()
    sizes = [dims_at(each)[:dim] + dims_at(each)[dim + 1 :] for each in (node, *node.args[0])]
    reasons = (refuses_sizes(program, each, sizes[0]) for each in sizes[1:])
    return next((reason for reason in reasons if reason is not None), None)


def _refuses_flip(program: Program, node: Node) -> Refusal:
    sizes = [dims_at(node)[dim] for dim in node.args[1]] if tensor_of(node).dim() else []
    some = all(program.bounds.minimum(size) > 0 for size in sizes)
    return None if some else "a flipped dimension might have size 0"


RULES: dict[Callable[..., Any], Rule] = {
    _aten.split_with_sizes_copy.default: Rule(_lower_split, dtypes=ANY),
    _aten.slice_copy.Tensor: Rule(_lower_slice, _refuses_slice, dtypes=ANY, numbers=True),
    _aten.select_copy.int: Rule(_lower_select, dtypes=ANY),
    _aten.cat.default: Rule(_lower_cat, _refuses_cat, dtypes=ANY),
    _aten.expand_copy.default: Rule(_lower_expand, _refuses_expand, dtypes=ANY, numbers=True),
    _aten.copy.default: Rule(_lower_copy, _refuses_copy, dtypes=ANY),
    _aten.constant_pad_nd.default: Rule(_lower_pad),
    _aten.roll.default: Rule(_lower_roll, _refuses_roll, dtypes=ANY, whole=True),
    _aten.flip.default: Rule(_lower_flip, _refuses_flip, dtypes=ANY),
}
