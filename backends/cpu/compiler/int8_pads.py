"""Fold zero padding into convolutions, across quantize and dequantize."""

from dataclasses import replace

import torch

from backends.cpu.compiler.graph import Op, OpGraph, Value
from backends.cpu.compiler.lower.windows import MAX_SIZE
from backends.cpu.compiler.ops.quantization import dequantized, quantized
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.convolution import ConvF32, DwconvF32
from backends.cpu.schema.copies import Copy
from backends.cpu.schema.quantization import Dequantize, Quantize
from backends.cpu.schema.records import Padding


def fold_pads(graph: OpGraph) -> None:
    """Fold zero padding into a convolution, across quantize and dequantize.

    After: the image is quantized without padding. The results do not change, because zero is
    quantized exactly.
    """
    rewriter = Rewriter(graph)
    for op in rewriter.ops():
        if isinstance(op.spec, (ConvF32, DwconvF32)):
            _fold(rewriter, op, op.spec)
    rewriter.finish()


def _fold(rewriter: Rewriter, op: Op, spec: ConvF32 | DwconvF32) -> None:
    dequantize = _sole_writer(rewriter, op)
    quantize = dequantize and _sole_writer(rewriter, dequantize)
    copy = quantize and _sole_writer(rewriter, quantize)
    if not dequantize or not quantize or not copy or not _keeps_zero(quantize, dequantize):
        return
    is_planes = isinstance(spec, ConvF32) and spec.planar
    pads = _pads(copy, 2 if is_planes else 1)
    if pads is None:
        return
    (x,) = copy.inputs
    codes, numbers = (Value(each.output.dtype, x.dims) for each in (quantize, dequantize))
    rewriter.merge([copy], quantize, replace(quantize, inputs=(x,), outputs=(codes,)))
    rewriter.replace(dequantize, replace(dequantize, inputs=(codes,), outputs=(numbers,)))
    top, left, bottom, right = (own + more for own, more in zip(spec.window.padding, pads))
    window = replace(spec.window, padding=(top, left, bottom, right))
    folded = replace(spec, window=window)
    rewriter.replace(op, replace(op, spec=folded, inputs=(numbers, *op.inputs[1:])))


def _sole_writer(rewriter: Rewriter, op: Op) -> Op | None:
    """Return the op that writes the first input of `op`, if only `op` reads it."""
    value = op.inputs[0]
    return rewriter.writer(value) if rewriter.sole_use(value) else None


def _keeps_zero(quantize: Op, dequantize: Op) -> bool:
    if not isinstance(quantize.spec, Quantize) or not isinstance(dequantize.spec, Dequantize):
        return False
    return dequantized(dequantize.spec.params, quantized(quantize.spec.output_quantization, torch.zeros(1))).item() == 0


def _pads(copy: Op, height: int) -> Padding | None:
    """Return the zero padding that `copy` adds to an image.

    Return None if `copy` does anything else.

    height: index of the height dimension. The width is the next dimension.
    """
    spec = copy.spec
    if not isinstance(spec, Copy) or spec.fill != 0 or len(copy.inputs) != 1:
        return None
    (x,), y = copy.inputs, copy.output
    rank = len(y.dims)
    if rank != 4 or spec.strides != (1,) * rank or any(copy.dims[::2]):
        return None
    firsts = copy.dims[1::2]
    axes = (height, height + 1)
    others = [dim for dim in range(rank) if dim not in axes]
    if any(x.dims[dim] != y.dims[dim] or firsts[dim] != 0 for dim in others):
        return None
    before, after = [], []
    for dim in axes:
        first, size, whole = firsts[dim], x.dims[dim], y.dims[dim]
        if not isinstance(first, int) or not isinstance(size, int) or not isinstance(whole, int):
            return None
        before.append(first)
        after.append(whole - size - first)
    if not all(0 <= each <= MAX_SIZE for each in (*before, *after)):
        return None
    return before[0], before[1], after[0], after[1]
