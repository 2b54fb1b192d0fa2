"""Between which bounds bytes lie: what writes them keeps them, what reads them may rely on it."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from backends.cpu.compiler.bytes_fusion import readers
from backends.cpu.compiler.graph import Step, StepGraph, Value, source_of
from backends.cpu.compiler.kinds.bytes import MapI8, Quantize, TableI8
from backends.cpu.compiler.kinds.convolution_i8 import ConvolutionI8, DepthwiseI8
from backends.cpu.compiler.kinds.pool_i8 import PoolI8
from backends.cpu.compiler.lower.builder import view
from backends.cpu.compiler.packing import quads_together

_WRITERS = (ConvolutionI8, DepthwiseI8, MapI8, PoolI8, Quantize)
_Bounds = tuple[int, int]
_WHOLE: dict[torch.dtype, _Bounds] = {torch.int8: (-128, 127), torch.uint8: (0, 255)}


def bound_bytes(graph: StepGraph) -> None:
    """Let steps that round to bytes clamp them themselves.

    After: no `table_i8` that is a clamp, or changes nothing, reads what such a step computes only for it.
    """
    counts = readers(graph)
    writers: dict[Value, Step] = {}
    for step in list(graph.steps):
        merged = _merged(source_of(step, writers), step)
        if merged is not None and counts[step.inputs[0].storage] == 1:
            graph.steps[graph.steps.index(writers[step.inputs[0].storage])] = merged
            graph.steps.remove(step)
            step = merged
        writers[step.output.storage] = step


def narrow_products(graph: StepGraph) -> None:
    """Tell convolutions how many products add up in an int16, as far as their weights, and the bytes that they read,
    are small."""
    writers = {value.storage: step for step in graph.steps for value in step.outputs}
    graph.steps = [_narrowed(source_of(step, writers), step) for step in graph.steps]


def _narrowed(writer: Step | None, step: Step) -> Step:
    operation = step.operation
    if not isinstance(operation, (ConvolutionI8, DepthwiseI8)):
        return step
    bounds = (*_written_bounds(writer, step.inputs[0]), operation.zero_point)
    packed = step.inputs[1].constant
    assert packed is not None
    together = quads_together(packed, max(bounds) - min(bounds))
    return replace(step, operation=replace(operation, together=together, lowest=min(bounds)))


def _written_bounds(writer: Step | None, value: Value) -> _Bounds:
    """The lowest and highest byte that `writer` leaves in `value`."""
    if writer is not None and isinstance(writer.operation, _WRITERS):
        operation: Any = writer.operation
        return operation.quantizing.low, operation.quantizing.high
    return _WHOLE[value.dtype]


def _merged(writer: Step | None, step: Step) -> Step | None:
    """`writer` with the bounds that `step` keeps, in place of both; None where that does not say it."""
    bounds = _bounds_of(step)
    if bounds is None or writer is None or not isinstance(writer.operation, _WRITERS):
        return None
    operation: Any = writer.operation
    low, high = (min(max(bound, operation.quantizing.low), operation.quantizing.high) for bound in bounds)
    kept = replace(operation, quantizing=replace(operation.quantizing, low=low, high=high))
    output = view(step.output, writer.output.dims)
    return replace(writer, operation=kept, outputs=(output,), nodes=writer.nodes + step.nodes)


def _bounds_of(step: Step) -> _Bounds | None:
    """The bounds of a table that changes nothing within them, of bytes of one dtype."""
    if not isinstance(step.operation, TableI8) or step.inputs[0].dtype != step.output.dtype:
        return None
    table = step.inputs[1].constant
    assert table is not None
    low, high = int(table.min()), int(table.max())
    codes: Tensor = torch.arange(256, dtype=torch.uint8).view(table.dtype)
    return (low, high) if torch.equal(table, codes.clamp(low, high)) else None
