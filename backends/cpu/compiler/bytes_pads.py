"""Zeros that are put around a picture between bytes become the window's that reads them, as those between floats do."""

from dataclasses import replace

import torch

from backends.cpu.compiler.graph import Step, StepGraph, Value
from backends.cpu.compiler.kinds.bytes import Dequantize, Quantize
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.copy import Copy
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.window import MOST_SIZE, Pads
from backends.cpu.compiler.rewrite import Rewriter


def fold_pads(graph: StepGraph) -> None:
    """Let convolutions put zeros around what they alone read of a picture that was quantized with them.

    After: the picture is quantized without them. The numbers are the same, as the byte of zero stands for zero.
    """
    rewriter = Rewriter(graph)
    for step in rewriter.steps():
        if isinstance(step.operation, (Convolution, Depthwise)):
            _fold(rewriter, step, step.operation)
    rewriter.finish()


def _fold(rewriter: Rewriter, step: Step, operation: Convolution | Depthwise) -> None:
    dequantize = _sole_writer(rewriter, step)
    quantize = dequantize and _sole_writer(rewriter, dequantize)
    copy = quantize and _sole_writer(rewriter, quantize)
    if not dequantize or not quantize or not copy or not _keeps_zero(quantize, dequantize):
        return
    is_planes = isinstance(operation, Convolution) and operation.planes
    pads = _pads(copy, 2 if is_planes else 1)
    if pads is None:
        return
    (x,) = copy.inputs
    codes, numbers = (Value(each.output.dtype, x.dims) for each in (quantize, dequantize))
    rewriter.merge([copy], quantize, replace(quantize, inputs=(x,), outputs=(codes,)))
    rewriter.replace(dequantize, replace(dequantize, inputs=(codes,), outputs=(numbers,)))
    top, left, bottom, right = (own + more for own, more in zip(operation.window.pads, pads))
    window = replace(operation.window, pads=(top, left, bottom, right))
    folded = replace(operation, window=window)
    rewriter.replace(step, replace(step, operation=folded, inputs=(numbers, *step.inputs[1:])))


def _sole_writer(rewriter: Rewriter, step: Step) -> Step | None:
    """What writes the first input of `step`, if that is all that reads it."""
    value = step.inputs[0]
    return rewriter.writer(value) if rewriter.sole_use(value) else None


def _keeps_zero(quantize: Step, dequantize: Step) -> bool:
    if not isinstance(quantize.operation, Quantize) or not isinstance(dequantize.operation, Dequantize):
        return False
    return dequantize.operation.reading(quantize.operation.quantizing(torch.zeros(1))).item() == 0


def _pads(copy: Step, height: int) -> Pads | None:
    """How many zeros `copy` puts around a picture whose height and width are dimensions `height` and the next one;
    None where it does anything else."""
    operation = copy.operation
    if not isinstance(operation, Copy) or operation.fill != 0 or len(copy.inputs) != 1:
        return None
    (x,), y = copy.inputs, copy.output
    rank = len(y.dims)
    if rank != 4 or operation.steps != ((1,) * rank,) or any(copy.dims[::2]):
        return None
    firsts = copy.dims[1::2]
    axes = (height, height + 1)
    others = [dim for dim in range(rank) if dim not in axes]
    if any(x.dims[dim] != y.dims[dim] or firsts[dim] != 0 for dim in others):
        return None
    before, behind = [], []
    for dim in axes:
        first, size, whole = firsts[dim], x.dims[dim], y.dims[dim]
        if not isinstance(first, int) or not isinstance(size, int) or not isinstance(whole, int):
            return None
        before.append(first)
        behind.append(whole - size - first)
    if not all(0 <= each <= MOST_SIZE for each in (*before, *behind)):
        return None
    return before[0], before[1], behind[0], behind[1]
