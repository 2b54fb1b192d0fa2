"""Fold clamps into int8 ops, and set limits of int16 accumulation."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from backends.cpu.compiler.graph import Op, OpGraph, Value, source_of
from backends.cpu.compiler.int8_fusion import readers
from backends.cpu.compiler.lower.builder import view
from backends.cpu.compiler.packing import max_exact_terms
from backends.cpu.schema.convolution import ConvQs8, DwconvQs8
from backends.cpu.schema.pooling import PoolQs8
from backends.cpu.schema.quantization import BinaryQs8, LutQs8, Quantize

_WRITERS = (ConvQs8, DwconvQs8, BinaryQs8, PoolQs8, Quantize)
_Bounds = tuple[int, int]
_WHOLE: dict[torch.dtype, _Bounds] = {torch.int8: (-128, 127), torch.uint8: (0, 255)}


def bound_int8_sums(graph: OpGraph) -> None:
    """Fold clamping and identity `lut_qs8` ops into the ops that write their inputs.

    After: if such a lookup remains, its input has other readers or was not written by a quantizing
    op.
    """
    counts = readers(graph)
    writers: dict[Value, Op] = {}
    for op in list(graph.ops):
        merged = _merged(source_of(op, writers), op)
        if merged is not None and counts[op.inputs[0].storage] == 1:
            graph.ops[graph.ops.index(writers[op.inputs[0].storage])] = merged
            graph.ops.remove(op)
            op = merged
        writers[op.output.storage] = op


def narrow_products(graph: OpGraph) -> None:
    """Set `max_exact_terms` of int8 convolutions from weights and input ranges."""
    writers = {value.storage: op for op in graph.ops for value in op.outputs}
    graph.ops = [_narrowed(source_of(op, writers), op) for op in graph.ops]


def _narrowed(writer: Op | None, op: Op) -> Op:
    spec = op.spec
    if not isinstance(spec, (ConvQs8, DwconvQs8)):
        return op
    bounds = (*_written_bounds(writer, op.inputs[0]), spec.zero_point)
    packed = op.inputs[1].constant
    assert packed is not None
    terms = max_exact_terms(packed, max(bounds) - min(bounds))
    return replace(op, spec=replace(spec, max_exact_terms=terms, min_value=min(bounds)))


def _written_bounds(writer: Op | None, value: Value) -> _Bounds:
    """Return the lowest and the highest value that `writer` can store in `value`."""
    if writer is not None and isinstance(writer.spec, _WRITERS):
        spec: Any = writer.spec
        return spec.output_quantization.low, spec.output_quantization.high
    return _WHOLE[value.dtype]


def _merged(writer: Op | None, op: Op) -> Op | None:
    """Return `writer` with the clamp `op` folded in, or None if `op` is not a clamp."""
    bounds = _bounds_of(op)
    if bounds is None or writer is None or not isinstance(writer.spec, _WRITERS):
        return None
    spec: Any = writer.spec
    written = spec.output_quantization
    low, high = (min(max(code, bounds[0]), bounds[1]) for code in (written.low, written.high))
    kept = replace(spec, output_quantization=replace(written, low=low, high=high))
    output = view(op.output, writer.output.dims)
    return replace(writer, spec=kept, outputs=(output,), nodes=writer.nodes + op.nodes)


def _bounds_of(op: Op) -> _Bounds | None:
    """Return the bounds of a lookup table that is a clamp to the same dtype, or None."""
    if not isinstance(op.spec, LutQs8) or op.inputs[0].dtype != op.output.dtype:
        return None
    table = op.inputs[1].constant
    assert table is not None
    low, high = int(table.min()), int(table.max())
    codes: Tensor = torch.arange(256, dtype=torch.uint8).view(table.dtype)
    return (low, high) if torch.equal(table, codes.clamp(low, high)) else None
