"""Folding of constants into weights, and dead code elimination."""

from dataclasses import replace

import torch
from torch import Tensor

from backends.cpu.compiler.float16 import narrowed
from backends.cpu.compiler.graph import Op, OpGraph, Scratch, Value, constant, storages_of
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.elementwise import ElementwiseF32, Opcode
from backends.cpu.schema.records import NONE, Activated

_Affine = tuple[Tensor, Tensor]
_X, _WEIGHT, _BIAS = range(3)


def fold(graph: OpGraph) -> None:
    """Fold constant scales and shifts of columns into GEMMs and convolutions.

    After: no such op is the only reader of a GEMM or convolution without activation and residual.
    """
    rewriter = Rewriter(graph)
    for op in rewriter.ops():
        writer = _foldable_writer(rewriter, op)
        affine = _affine(op, writer.output) if writer is not None else None
        if writer is not None and affine is not None:
            rewriter.merge([writer], op, _folded(writer, op, affine))
    rewriter.finish()


def _foldable_writer(rewriter: Rewriter, op: Op) -> Op | None:
    if not isinstance(op.spec, ElementwiseF32):
        return None
    for value in op.inputs:
        writer = rewriter.writer(value)
        if writer is not None and rewriter.sole_use(value) and _is_plain(writer):
            return writer
    return None


def _is_plain(writer: Op) -> bool:
    spec = writer.spec
    plain = isinstance(spec, Activated) and spec.activation == NONE
    return plain and len(writer.inputs) == _BIAS + 1


def _affine(op: Op, computed: Value) -> _Affine | None:
    """Return the factor and the addend of each column, or None if `op` is not affine."""
    assert isinstance(op.spec, ElementwiseF32)
    call = op.spec.as_call()
    if call is None:
        return None
    opcode, operands = call
    tensors = [_operand(op, each, computed) for each in operands]
    others = [each for each in tensors if isinstance(each, Tensor)]
    if len(tensors) != 2 or len(others) != 1 or op.output.dims != computed.dims:
        return None
    columns = int(computed.dims[-1])
    return _as_affine(opcode, others[0].expand(columns), isinstance(tensors[0], Tensor))


def _operand(op: Op, operand: int | float, computed: Value) -> Tensor | None:
    """Return the constant operand if it has one element, or one per column.

    Return None for other operands.
    """
    if isinstance(operand, float):
        return torch.tensor([operand])
    tensor = op.inputs[operand].constant
    if tensor is None or op.inputs[operand] is computed:
        return None
    is_row = tensor.numel() in (1, computed.dims[-1]) and tensor.numel() == (tensor.shape or (1,))[-1]
    return tensor.reshape(-1) if is_row else None


def _as_affine(opcode: Opcode, row: Tensor, is_first: bool) -> _Affine | None:
    one, zero = torch.ones_like(row), torch.zeros_like(row)
    match opcode:
        case Opcode.ADD:
            return one, row
        case Opcode.MUL:
            return row, zero
        case Opcode.SUB:
            return (-one, row) if is_first else (one, -row)
        case Opcode.DIV if not is_first:
            return 1 / row, zero
    return None


def _folded(writer: Op, op: Op, affine: _Affine) -> Op:
    factor, summand = affine
    weight, bias = writer.inputs[_WEIGHT].constant, writer.inputs[_BIAS].constant
    assert weight is not None and bias is not None
    scaled = weight.float() * factor.reshape(-1, *[1] * (weight.dim() - 1))
    inputs = (writer.inputs[_X], constant(narrowed(scaled, weight.dtype)), constant(bias * factor + summand))
    return replace(writer, inputs=inputs, outputs=op.outputs, nodes=writer.nodes + op.nodes)


def eliminate_dead_ops(graph: OpGraph) -> None:
    """Remove dead ops.

    After: each op writes a state or a value that a later op or the caller reads.
    """
    needed: set[Value] = {result.value.storage for result in graph.results}
    kept = []
    for op in reversed(graph.ops):
        written = storages_of(op.outputs)
        if any(value in needed or not isinstance(value.place, Scratch) for value in written):
            kept.append(op)
            needed.update(storages_of(op.inputs))
    graph.ops = kept[::-1]
