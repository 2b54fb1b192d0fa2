"""Working on the expanded channels of a block by halves where they are what takes the most memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from backends.cpu.compiler import cost
from backends.cpu.compiler.graph import Op, OpGraph, Value, constant
from backends.cpu.compiler.packing import WIDTH
from backends.cpu.compiler.plan import live_bytes
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.convolution import DwconvF32
from backends.cpu.schema.gemm import GemmF32

# Blocks that are halved; each one is looked for in the whole graph.
_MOST_HALVED = 16


@dataclass(frozen=True)
class _Block:
    """What expands, filters each channel, projects; `half`: channels that are worked on first."""

    expand: Op
    filtering: Op
    project: Op

    @property
    def half(self) -> int:
        return self.channels // 2 // WIDTH * WIDTH

    @property
    def channels(self) -> int:
        return int(self.filtering.output.dims[-1])


def halve_widest(graph: OpGraph) -> None:
    """Halve the block of expand, filter, project that needs the most scratch, until another op does.

    After: what such a block projects is summed over the first half of its channels, and then over the second. Long
    sums go through memory in parts anyway, so this takes no longer.
    """
    for _ in range(_MOST_HALVED):
        live = live_bytes(graph)
        if not cost.prefers_halves(max(live, default=0)):
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
    """The most bytes, and at how many ops."""
    return max(live), live.count(max(live))


def _block_around(graph: OpGraph, place: int) -> _Block | None:
    """The block whose filter stands at `place`, unless somebody else needs what lies between, or it is too narrow."""
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
    """Both halves stand where `project` did: the second adds what the first gives."""
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
    """Some channels, expanded and filtered."""
    expand = _part(block.expand, block.expand.inputs[0], channels)
    return expand, _part(block.filtering, expand.output, channels)


def _part(op: Op, x: Value, channels: slice) -> Op:
    """`op` for some of the channels that it writes."""
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
