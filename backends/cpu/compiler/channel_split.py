"""Halve the expanded channels of inverted residuals at the scratch peak."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from backends.cpu.compiler import cost
from backends.cpu.compiler.graph import Op, OpGraph, Value, constant
from backends.cpu.compiler.plan import live_bytes
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.convolution import DwconvF32
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.kernel_sizes import PANEL

# Maximum number of blocks to halve. Each search visits the whole graph.
_MOST_HALVED = 16


@dataclass(frozen=True)
class _Block:
    """An inverted residual: expanding GEMM, depthwise convolution, projecting GEMM.

    half: number of channels of the first half, a multiple of the panel width.
    """

    expand: Op
    filtering: Op
    project: Op

    @property
    def half(self) -> int:
        return self.channels // 2 // PANEL * PANEL

    @property
    def channels(self) -> int:
        return int(self.filtering.output.dims[-1])


def split_widest_block(graph: OpGraph) -> None:
    """Split the inverted residual that causes the scratch peak into halves.

    Repeat while this lowers the peak.

    After: the projection of a halved block accumulates over the first half of its channels, then
    over the second. This is not slower, because a GEMM with a large K stores partial sums in any
    case.
    """
    for _ in range(_MOST_HALVED):
        live = live_bytes(graph)
        if not cost.prefers_channel_split(max(live, default=0)):
            return
        block = _block_around(graph, live.index(max(live)))
        if block is None:
            return
        before = graph.ops
        graph.ops = _halved(before, block)
        if _most(live_bytes(graph)) >= _most(live):
            graph.ops = before
            return


def _most(live: Sequence[int]) -> tuple[int, int]:
    """Return the peak of live bytes and the number of ops that reach it."""
    return max(live), live.count(max(live))


def _block_around(graph: OpGraph, place: int) -> _Block | None:
    """Return the block whose depthwise convolution is op number `place`, or None.

    Return None if the op is not part of a block, if an intermediate value has other readers, or if
    the block is too narrow to halve.
    """
    filtering = graph.ops[place]
    if not isinstance(filtering.spec, DwconvF32):
        return None
    rewriter = Rewriter(graph)
    expand = rewriter.writer(filtering.inputs[0])
    project = next((op for op in graph.ops if filtering.output in op.inputs[:1]), None)
    if expand is None or project is None:
        return None
    block = _Block(expand, filtering, project)
    alone = rewriter.sole_use(expand.output) and rewriter.sole_use(filtering.output)
    products = all(isinstance(op.spec, GemmF32) for op in (expand, project)) and len(expand.inputs) == 3
    return block if alone and products and block.half > 0 else None


def _halved(ops: list[Op], block: _Block) -> list[Op]:
    """Return `ops` with `block` replaced by its two halves.

    The second half adds the result of the first as its residual.
    """
    project = block.project
    between = Value(project.output.dtype, project.output.dims)
    first = _filtered(block, slice(0, block.half))
    second = _filtered(block, slice(block.half, block.channels))
    weight, bias, *residual = project.inputs[1:]
    none = constant(torch.zeros_like(_elements(bias)))
    halves = (
        *first,
        replace(
            project,
            spec=GemmF32(),
            inputs=(first[-1].output, _columns(weight, slice(0, block.half)), bias, *residual),
            outputs=(between,),
        ),
        *second,
        replace(
            project,
            inputs=(second[-1].output, _columns(weight, slice(block.half, block.channels)), none, between),
        ),
    )
    others = [op for op in ops if op not in (block.expand, block.filtering)]
    place = others.index(project)
    return [*others[:place], *halves, *others[place + 1 :]]


def _filtered(block: _Block, channels: slice) -> tuple[Op, Op]:
    """Return the expansion and the depthwise convolution, restricted to `channels`."""
    expand = _part(block.expand, block.expand.inputs[0], channels)
    return expand, _part(block.filtering, expand.output, channels)


def _part(op: Op, x: Value, channels: slice) -> Op:
    """Return `op`, restricted to the output channels `channels`."""
    _, weight, bias = op.inputs
    output = op.output
    columns = len(range(*channels.indices(int(output.dims[-1]))))
    written = Value(output.dtype, (*output.dims[:-1], columns))
    return replace(op, inputs=(x, _rows(weight, channels), _rows(bias, channels)), outputs=(written,))


def _rows(weight: Value, channels: slice) -> Value:
    return constant(_elements(weight)[channels])


def _columns(weight: Value, channels: slice) -> Value:
    return constant(_elements(weight)[:, channels])


def _elements(weight: Value) -> Tensor:
    assert weight.constant is not None
    return weight.constant
