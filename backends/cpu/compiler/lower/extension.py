"""Lowering of repetition, and of replicate, reflect and circular padding."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder, as_it_is, view
from backends.cpu.compiler.lower.copies import Part, emit_copy, part_of
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import ANY, Refusal, Rule
from backends.cpu.schema.kernel_sizes import MAX_RANK

_aten = torch.ops.aten
# A function that yields the parts of the padded output. Arguments: whole tensor, dimension, size of
# the dimension, padding (before, after).
_Parts: TypeAlias = Callable[[Part, int, Dim, tuple[int, int]], Iterator[Part]]


def _lower_repeat(builder: Builder, node: Node) -> None:
    """Emit an expansion with a new dimension before each repeated one.

    The size of the new dimension is the number of repetitions.
    """
    sizes, dims, strides = [], [], []
    rank = tensor_of(node).dim()
    given = (1,) * (rank - tensor_of(node.args[0]).dim()) + dims_at(node.args[0])
    for size, times in zip(given, node.args[1], strict=True):
        added = [] if times == 1 else [times]
        sizes += [*[1 for _ in added], size]
        dims += [*added, size]
        strides += [*[0 for _ in added], 1]
    part = part_of(view(builder.read(node.args[0]), tuple(sizes)))
    part.strides = strides
    output = Value(tensor_of(node).dtype, tuple(dims))
    emit_copy(builder, node, [part], output, as_it_is(len(dims)))
    builder.alias(node, TensorLayout(view(output, dims_at(node)), as_it_is(rank)))


def _refuses_repeat(program: Program, node: Node) -> Refusal:
    times = node.args[1]
    rank = len(times) + sum(1 for each in times if each != 1)
    return (
        None
        if rank <= MAX_RANK
        else (
            f"{rank - len(times)} of {len(times)} dimensions are repeated; the sum of both must be at most {MAX_RANK}"
        )
    )


def _lower_pad(builder: Builder, node: Node) -> None:
    """Lower reflect, replicate and circular padding."""
    _extend(builder, node, _MODES[node.args[2]])


def _extend(builder: Builder, node: Node, parts: _Parts) -> None:
    """Emit a copy for each padded dimension.

    The copy concatenates the leading padding, the tensor and the trailing padding.
    """
    layout = builder.layout(node.args[0])
    rank = len(layout.order)
    for place, (before, after) in enumerate(_pads(node)):
        dim = rank - 1 - place
        size = layout.dims[dim]
        if before or after:
            sizes = tuple(size + before + after if each == dim else layout.dims[each] for each in layout.order)
            output = Value(layout.value.dtype, sizes)
            made = list(parts(part_of(layout.value), dim, size, (before, after)))
            emit_copy(builder, node, made, output, layout.order)
            layout = TensorLayout(output, layout.order)
    builder.alias(node, layout)


def _replicated(part: Part, dim: int, size: Dim, pads: tuple[int, int]) -> Iterator[Part]:
    """Yield the two edges, then the tensor.

    Each edge is repeated (stride 0) up to the end of the output. The tensor overwrites the excess.
    """
    before, _ = pads
    yield _moved(part, dim, start=0, first=0, stride=0)
    yield _moved(part, dim, start=size - 1, first=before + size - 1, stride=0)
    yield _moved(part, dim, start=0, first=before, stride=1)


def _reflected(part: Part, dim: int, size: Dim, pads: tuple[int, int]) -> Iterator[Part]:
    before, after = pads
    yield _moved(part, dim, start=before, first=0, stride=-1)
    if after:
        yield _moved(part, dim, start=size - 2, first=before + size, stride=-1)
    yield _moved(part, dim, start=0, first=before, stride=1)


def _wrapped(part: Part, dim: int, size: Dim, pads: tuple[int, int]) -> Iterator[Part]:
    before, after = pads
    if before:
        yield _moved(part, dim, start=size - before, first=0, stride=1)
    if after:
        yield _moved(part, dim, start=0, first=before + size, stride=1)
    yield _moved(part, dim, start=0, first=before, stride=1)


def _moved(part: Part, dim: int, start: Dim, first: Dim, stride: int) -> Part:
    moved = replace(part, strides=[*part.strides], starts=[*part.starts], firsts=[*part.firsts])
    moved.starts[dim], moved.firsts[dim], moved.strides[dim] = start, first, stride
    return moved


def _pads(node: Node) -> list[tuple[int, int]]:
    """Return the padding (before, after) of each dimension, last dimension first."""
    given = node.args[1]
    return list(zip(given[::2], given[1::2], strict=True))


def _refuses_pads(program: Program, node: Node) -> Refusal:
    given, mode = node.args[1], argument(node, 2, "mode", "constant")
    if mode not in _MODES:
        return f"padding mode '{mode}' is not supported"
    if any(each < 0 for each in given):
        return "negative padding is not supported"
    least = min(program.bounds.minimum(dims_at(node.args[0])[-1 - place]) for place in range(len(given) // 2))
    return None if least > 0 else "a dimension might have size 0"


_MODES: dict[str, _Parts] = {"reflect": _reflected, "replicate": _replicated, "circular": _wrapped}
RULES: dict[OpOverload, Rule] = {
    _aten.repeat.default: Rule(_lower_repeat, _refuses_repeat, dtypes=ANY),
    _aten.pad.default: Rule(_lower_pad, _refuses_pads, dtypes=ANY, whole=True),
}
